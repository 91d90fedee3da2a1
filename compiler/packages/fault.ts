import type { Params } from "../diagnostics/report.js";

/** Why a package is not used: what is found where the configuration names it. */
export class PackageFault extends Error {
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

/** First line of what was thrown: it stands in a finding. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return (text.split("\n")[0] ?? "").slice(0, 300);
}
