import { withoutUnseen } from "../../runtime/abi/text/unseen.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { renderGithub } from "./github.js";
import { renderSarif } from "./sarif.js";
import { renderText, type TextOptions } from "./text.js";

export type Format = "text" | "json" | "sarif" | "github";

/** Only text uses sources, secrets and colour. */
export function render(format: Format, diagnostics: readonly Diagnostic[], options: TextOptions): string {
  switch (format) {
    case "text":
      return renderText(diagnostics, options);
    case "json":
      return withoutUnseen(renderJson(diagnostics));
    case "sarif":
      return withoutUnseen(renderSarif(diagnostics));
    case "github":
      return renderGithub(diagnostics);
  }
}

/** Writes one JSON object with the diagnostics and their counts. */
export function renderJson(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic["severity"]) =>
    diagnostics.filter((one) => one.severity === severity).length;
  // Ranks and reasons are for the admin API and its log.
  const told = diagnostics.map(({ errorRank: _rank, errorReason: _reason, ...one }) => one);
  const shown = { errors: count("error"), warnings: count("warning"), diagnostics: told };
  return `${JSON.stringify(shown, null, 2)}\n`;
}
