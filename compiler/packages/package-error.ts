import type { Params } from "../diagnostics/report.js";

/** Error that is reported where the configuration names the package. */
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

/**
 * Text of a thrown value, with the package's line that threw it.
 * @param root URL of the package's folder, ending in a slash
 */
export function reasonAt(error: unknown, root: string): string {
  const line = lineInPackage(error, root);
  return line === undefined ? reasonOf(error) : `${reasonOf(error)} (${line})`;
}

/** Innermost line of the package's own code: "dist/index.js:7". */
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
/** Stack frame, or the location in front of all frames if a module is unreadable or imports a missing name. */
const FRAME = /^(?: +at .*?)?(file:\/\/\S+?):(\d+)(?::\d+\)?)?$/gm;

/** Returns the first line, for a diagnostic. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return (text.split("\n")[0] ?? "").slice(0, 300);
}
