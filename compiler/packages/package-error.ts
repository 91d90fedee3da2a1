import type { Params } from "../diagnostics/report.js";

/** Why a package is not used: what is found where the configuration names it. */
export class PackageError extends Error {
  readonly code: string;
  readonly params: Params;
  readonly help: string | undefined;

  constructor(code: string, params: Params, help?: string) {
    super(`${code} ${JSON.stringify(params)}`);
    this.code = code;
    this.params = params;
    this.help = help;
  }
}

/** What was thrown, and the line of the package that threw it. @param root address of the package's folder, with a slash at its end */
export function reasonAt(error: unknown, root: string): string {
  const line = lineInPackage(error, root);
  return line === undefined ? reasonOf(error) : `${reasonOf(error)} (${line})`;
}

/** The innermost line of the package's own code that an error came through: "dist/index.js:7". */
function lineInPackage(error: unknown, root: string): string | undefined {
  const { stack } = error instanceof Error ? error : {};
  if (typeof stack !== "string") return undefined;
  const frames = stack.slice(0, MAX_STACK).matchAll(FRAME);
  for (const [, url = "", line] of frames) {
    const path = url.startsWith(root) ? url.slice(root.length) : undefined;
    if (path !== undefined && !path.includes("node_modules/")) return `${decodeURI(path)}:${line}`;
  }
  return undefined;
}

const MAX_STACK = 10_000;
/** A call, or, before all of them, where a module cannot be read or imports a name that is not there. */
const FRAME = /^(?: +at .*?)?(file:\/\/\S+?):(\d+)(?::\d+\)?)?$/gm;

/** First line of what was thrown: it stands in a finding. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return (text.split("\n")[0] ?? "").slice(0, 300);
}
