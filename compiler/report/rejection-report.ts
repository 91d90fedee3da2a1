import { formatRejection, jsonMembers, membersOf } from "../../runtime/abi/admin-call.js";
import { printable } from "../../runtime/abi/text/unseen.js";
import type { Diagnostic, Note, Span } from "../model/diagnostic.js";
import { renderText } from "./text.js";

/** Maximum of an error response, and of each text of a diagnostic. */
const MAX_SAID = 2_000;
/** Maximum that an admin API returns. */
const MAX_DIAGNOSTICS = 100;
const SEVERITIES = ["error", "warning", "note"] as const;

/** Formats "400: …", and below it each diagnostic as `gwc check` prints it. The response may come from any server. */
export function rejectionReport({ status, text }: { status: number; text: string }): string {
  const head = formatRejection({ status, text });
  const { diagnostics } = jsonMembers(text);
  const found = (Array.isArray(diagnostics) ? diagnostics.slice(0, MAX_DIAGNOSTICS) : []).flatMap(
    parseDiagnostic,
  );
  return found.length === 0 ? head : `${head}\n${renderText(found, { sources: [] }).trimEnd()}`;
}

/** Expects an object with code, severity and message. @returns an empty list for any other value */
function parseDiagnostic(value: unknown): Diagnostic[] {
  const { code, severity, message, span, notes, help } = membersOf(value);
  const known = SEVERITIES.find((one) => one === severity);
  if (typeof code !== "string" || typeof message !== "string" || known === undefined) return [];
  const place = spanOf(span);
  return [
    {
      code: printable(code),
      severity: known,
      message: printable(message, MAX_SAID),
      notes: Array.isArray(notes) ? notes.flatMap(noteOf) : [],
      ...(place && { span: place }),
      ...(typeof help === "string" && { help: printable(help, MAX_SAID) }),
    },
  ];
}

function noteOf(value: unknown): Note[] {
  const { message, span } = membersOf(value);
  const place = spanOf(span);
  return typeof message === "string"
    ? [{ message: printable(message, MAX_SAID), ...(place && { span: place }) }]
    : [];
}

/** Parses the location only: there is no source to show a line of. */
function spanOf(value: unknown): Span | undefined {
  const { file, start } = membersOf(value);
  const { line, column } = membersOf(start);
  if (typeof file !== "string" || typeof line !== "number" || typeof column !== "number") return undefined;
  const at = { line, column };
  return { file: printable(file, MAX_SAID), start: at, end: at };
}
