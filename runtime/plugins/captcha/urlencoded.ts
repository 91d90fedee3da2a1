import type { Found, Span } from "./found.js";

interface Pair extends Span {
  isField: boolean;
  value: string;
}

/**
 * Finds a field in a whole application/x-www-form-urlencoded body (WHATWG URL section 5.1). Empty ones do not count, so that
 * the field of a second widget, which nobody solved, does no harm; two with a value are refused.
 */
export function fieldOfForm(body: Buffer, field: string): Found {
  const pairs = pairsOf(body.toString("latin1"), field);
  const values = pairs.filter(({ isField, value }) => isField && value !== "");
  if (values.length > 1) return { kind: "unreadable", reason: "field_repeated" };
  const cuts = cutsOf(pairs);
  const token = values[0]?.value;
  return token === undefined ? { kind: "none", cuts } : { kind: "token", token, cuts };
}

function pairsOf(text: string, field: string): Pair[] {
  const pairs: Pair[] = [];
  for (let start = 0; start <= text.length; ) {
    const mark = text.indexOf("&", start);
    const end = mark < 0 ? text.length : mark;
    const equals = text.indexOf("=", start);
    const nameEnd = equals < 0 || equals > end ? end : equals;
    const isField = decoded(text.slice(start, nameEnd)) === field;
    const value = isField ? decoded(text.slice(Math.min(nameEnd + 1, end), end)) : "";
    pairs.push({ start, end, isField, value });
    start = end + 1;
  }
  return pairs;
}

/** A pair leaves with the "&" before it, or, where nothing that stays is before it, with the one behind it. */
function cutsOf(pairs: readonly Pair[]): Span[] {
  const cuts: Span[] = [];
  let stays = false;
  for (const [i, { start, end, isField }] of pairs.entries()) {
    if (!isField) stays = true;
    else if (stays) cuts.push({ start: start - 1, end });
    else cuts.push({ start, end: i + 1 < pairs.length ? end + 1 : end });
  }
  return cuts;
}

/** "+" and escapes undone, byte by byte; what is no escape stays. */
function decoded(text: string): string {
  return text
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
