import type { Diagnostic } from "./diagnostic.js";

/** Findings for programs: one JSON object with the findings and their counts. */
export function renderJson(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic["severity"]) =>
    diagnostics.filter((one) => one.severity === severity).length;
  const shown = { errors: count("error"), warnings: count("warning"), diagnostics };
  return `${JSON.stringify(shown, null, 2)}\n`;
}
