import { jsonMembers, membersOf, refusalWords } from "../../runtime/abi/admin-refusal.js";
import { printable } from "../../runtime/abi/text/unseen.js";
import type { Diagnostic, Note, Span } from "./diagnostic.js";
import { renderText } from "./text.js";

/** Characters of a refusal, and of each text of a finding. */
const MAX_SAID = 2_000;
/** As many as an admin API tells at the most. */
const MAX_DIAGNOSTICS = 100;
const SEVERITIES = ["error", "warning", "note"] as const;

/** A refusal of an admin API for people: "400: …", and below it each finding as `gwc check` prints it. Anything may have answered. */
export function refusalText({ status, text }: { status: number; text: string }): string {
  const head = refusalWords({ status, text });
  const { diagnostics } = jsonMembers(text);
  const found = (Array.isArray(diagnostics) ? diagnostics.slice(0, MAX_DIAGNOSTICS) : []).flatMap(findingOf);
  return found.length === 0 ? head : `${head}\n${renderText(found, { sources: [] }).trimEnd()}`;
}

/** Reads findings: objects with a code, a severity and a message; none of anything else. */
function findingOf(value: unknown): Diagnostic[] {
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

/** The place alone: no source is at hand of which a line could be shown. */
function spanOf(value: unknown): Span | undefined {
  const { file, start } = membersOf(value);
  const { line, column } = membersOf(start);
  if (typeof file !== "string" || typeof line !== "number" || typeof column !== "number") return undefined;
  const at = { line, column };
  return { file: printable(file, MAX_SAID), start: at, end: at };
}
