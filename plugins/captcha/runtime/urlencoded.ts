import type { FormFieldResult, Span } from "./form-field-result.js";

/**
 * Reads application/x-www-form-urlencoded (WHATWG URL section 5.1). Empty fields do not count, so that one of
 * a second, unsolved widget does no harm; two with a value are rejected. A pair is removed with the "&"
 * before it, or, if no remaining pair is before it, with the one behind it.
 */
export function fieldOfForm(body: Buffer, field: string): FormFieldResult {
  const text = body.toString("latin1");
  const cuts: Span[] = [];
  const values: string[] = [];
  let stays = false;
  let equals = -1;
  for (let start = 0; start <= text.length; ) {
    const mark = text.indexOf("&", start);
    const end = mark < 0 ? text.length : mark;
    // Searched once, however many pairs precede it: otherwise a body of "&" alone would take quadratic time.
    if (equals < start) equals = indexOrEnd(text, "=", start);
    const nameEnd = Math.min(equals, end);
    if (!isName(text, start, nameEnd, field)) stays = true;
    else {
      values.push(decoded(text.slice(Math.min(nameEnd + 1, end), end)));
      cuts.push(stays ? { start: start - 1, end } : { start, end: Math.min(end + 1, text.length) });
    }
    start = end + 1;
  }
  const [token, second] = values.filter((value) => value !== "");
  if (second !== undefined) return { kind: "unreadable", reason: "field_repeated" };
  return token === undefined ? { kind: "none", cuts } : { kind: "token", token, cuts };
}

function indexOrEnd(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at;
}

/** An escape has three characters for one, so most names need not be decoded. */
function isName(text: string, start: number, end: number, field: string): boolean {
  const length = end - start;
  if (length < field.length || length > 3 * field.length) return false;
  return decoded(text.slice(start, end)) === field;
}

/** Decodes byte by byte; an invalid escape stays. */
function decoded(text: string): string {
  return text
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
