import type { Diagnostic } from "../../../compiler/model/diagnostic.js";
import { type ApiResponse, failure, json } from "../../process/api-response.js";

export { type ApiResponse, failure, json } from "../../process/api-response.js";

/** Maximum number of diagnostics in one response; a longer list is not useful to its reader. */
const MAX_TOLD = 100;

export function refusal(status: number, message: string, diagnostics: readonly Diagnostic[]): ApiResponse {
  if (diagnostics.length === 0) return failure(status, message);
  const answer = json(status, { error_msg: message, diagnostics: told(diagnostics) });
  return { ...answer, reason: reasonOf(message, diagnostics) };
}

/** Returns code and location for logs: a diagnostic quotes the input, which may be a misplaced secret. */
function reasonOf(message: string, diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const first = errors.find(({ errorMessage }) => errorMessage === message) ?? errors[0] ?? diagnostics[0];
  if (first === undefined) return "";
  const { code, span, errorReason } = first;
  const { line, column } = span?.start ?? {};
  const place = line === undefined ? code : `${code} at ${line}:${column}`;
  return errorReason === undefined ? place : `${place}: ${errorReason}`;
}

export function withWarnings(findings: readonly Diagnostic[]): { warnings?: object[] } {
  return findings.length === 0 ? {} : { warnings: told(findings) };
}

/** Sorts errors before warnings and notes, at most 100; the last one gives the number of those left out. */
function told(findings: readonly Diagnostic[]): object[] {
  const of = (severity: Diagnostic["severity"]) => findings.filter((one) => one.severity === severity);
  const ordered = [...of("error"), ...of("warning"), ...of("note")];
  const more = ordered.length - MAX_TOLD;
  const last = ordered[MAX_TOLD - 1];
  if (more <= 0 || last === undefined) return ordered.map(shown);
  const notes = [...last.notes, { message: `and ${more} more` }];
  return [...ordered.slice(0, MAX_TOLD - 1), { ...last, notes }].map(shown);
}

/** HTML page of the web server layer, sent for replies that precede all admin code. */
export function page(status: number, reason: string): ApiResponse {
  const title = `${status} ${reason}`;
  const body = [
    `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>`,
    `<hr><center>GW</center>\r\n</body>\r\n</html>\r\n`,
  ].join("\r\n");
  return { status, body, type: "text/html" };
}

/** Removes `error_msg`: the response has it once, beside the diagnostics. */
function shown(diagnostic: Diagnostic): object {
  const { errorMessage: _message, errorRank: _rank, errorReason: _reason, ...rest } = diagnostic;
  return rest;
}
