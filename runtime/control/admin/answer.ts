import type { Diagnostic } from "../../../compiler/diagnostics/diagnostic.js";
import { type ApiResponse, failure, json } from "../../process/api-response.js";

export { type ApiResponse, failure, json } from "../../process/api-response.js";

/** Findings of one answer: who has made more reads the first of them. */
const MAX_TOLD = 100;

/** A refused configuration: the reference's text, and every finding with its place. */
export function refusal(status: number, message: string, diagnostics: readonly Diagnostic[]): ApiResponse {
  if (diagnostics.length === 0) return failure(status, message);
  const answer = json(status, { error_msg: message, diagnostics: told(diagnostics) });
  return { ...answer, reason: reasonOf(message, diagnostics) };
}

/** Findings quote what was written, which may be a secret in the wrong place: logs have the code and where it is. */
function reasonOf(message: string, diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const first = errors.find(({ errorMessage }) => errorMessage === message) ?? errors[0] ?? diagnostics[0];
  if (first === undefined) return "";
  const { code, span, errorReason } = first;
  const { line, column } = span?.start ?? {};
  const place = line === undefined ? code : `${code} at ${line}:${column}`;
  return errorReason === undefined ? place : `${place}: ${errorReason}`;
}

/** Warnings on a write that was taken all the same; nothing when there are none. */
export function withWarnings(findings: readonly Diagnostic[]): { warnings?: object[] } {
  return findings.length === 0 ? {} : { warnings: told(findings) };
}

/** Errors before warnings and notes, 100 at the most; the last one says how many more there are. */
function told(findings: readonly Diagnostic[]): object[] {
  const of = (severity: Diagnostic["severity"]) => findings.filter((one) => one.severity === severity);
  const ordered = [...of("error"), ...of("warning"), ...of("note")];
  const more = ordered.length - MAX_TOLD;
  const last = ordered[MAX_TOLD - 1];
  if (more <= 0 || last === undefined) return ordered.map(shown);
  const notes = [...last.notes, { message: `and ${more} more` }];
  return [...ordered.slice(0, MAX_TOLD - 1), { ...last, notes }].map(shown);
}

/** Page of the web server layer: what answers before any admin code does. */
export function page(status: number, reason: string): ApiResponse {
  const title = `${status} ${reason}`;
  const body = [
    `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>`,
    `<hr><center>GW</center>\r\n</body>\r\n</html>\r\n`,
  ].join("\r\n");
  return { status, body, type: "text/html" };
}

/** `error_msg` stands once beside the findings. */
function shown({
  errorMessage: _message,
  errorRank: _rank,
  errorReason: _reason,
  ...rest
}: Diagnostic): object {
  return rest;
}
