import { type Follow, firstOf, UNKNOWN } from "./analyse/follow.js";
import type { Node } from "./ast.js";
import {
  type CharSet,
  complement,
  LAST_BYTE,
  LAST_CODE_POINT,
  onlyMember,
  type Range,
  SURROGATES,
  without,
} from "./charset.js";

const CONTROL: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r" };

/**
 * The shortest of a character, an escape such as `\d`, and a bracketed class. With option `u` no set holds a
 * surrogate, the decoded form of an invalid byte (PCRE2_MATCH_INVALID_UTF).
 */
export function printSet(set: CharSet, utf: boolean): string {
  const only = onlyMember(set);
  if (only !== undefined) return printCharacter(only, utf);
  if (set.properties.length > 0) return printWithProperties(set, utf);
  const last = utf ? LAST_CODE_POINT : LAST_BYTE;
  const ranges = utf ? without(set.ranges, SURROGATES) : set.ranges;
  if (ranges.length === 0) return "(?!)";
  const positive = ESCAPES.get(printRanges(ranges, utf)) ?? `[${printRanges(ranges, utf)}]`;
  const rest = complement(ranges, last);
  if (rest.length === 0) return "[^]";
  const named = NEGATED_ESCAPES.get(printRanges(rest, utf));
  const negative = named ?? `[^${printRanges(rest, utf)}]`;
  return negative.length < positive.length ? negative : positive;
}

const ESCAPES = new Map([
  ["0-9", "\\d"],
  ["0-9A-Z_a-z", "\\w"],
]);
const NEGATED_ESCAPES = new Map([
  ["0-9", "\\D"],
  ["0-9A-Z_a-z", "\\W"],
]);

function printWithProperties(set: CharSet, utf: boolean): string {
  const [only, second] = set.properties;
  const isSafe = set.properties.every((property) => !HOLDS_SURROGATES.test(property));
  if (isSafe && only !== undefined && second === undefined && set.ranges.length === 0 && !set.negated)
    return only;
  const members = printRanges(set.ranges, utf) + set.properties.join("");
  if (set.negated) return `[^${members}${SURROGATE}]`;
  return isSafe ? `[${members}]` : `(?:(?![${SURROGATE}])[${members}])`;
}

const SURROGATE = "\\u{d800}-\\u{dfff}";
/** `\P{L}` and the categories of non-characters, such as `\p{C}` and `\p{Cs}`. */
const HOLDS_SURROGATES = /^\\(?:P|p\{C)/;

function printRanges(ranges: readonly Range[], utf: boolean): string {
  return ranges
    .map(([from, to]) => {
      const start = printMember(from, utf);
      if (from === to) return start;
      return to === from + 1 ? start + printMember(to, utf) : `${start}-${printMember(to, utf)}`;
    })
    .join("");
}

function printMember(code: number, utf: boolean): string {
  const character = String.fromCodePoint(code);
  return /[\\\]^-]/.test(character)
    ? `\\${character}`
    : /[[(){}/|$.*+?]/.test(character)
      ? character
      : plain(code, utf);
}

/** A slash is escaped so that the source can be between slashes. */
function printCharacter(code: number, utf: boolean): string {
  const character = String.fromCodePoint(code);
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : plain(code, utf);
}

function plain(code: number, utf: boolean): string {
  const control = CONTROL[code];
  if (control !== undefined) return control;
  if (code >= 0x20 && code < 0x7f) return String.fromCharCode(code);
  if (utf) return `\\u{${code.toString(16)}}`;
  return code > LAST_BYTE
    ? `\\u${code.toString(16).padStart(4, "0")}`
    : `\\x${code.toString(16).padStart(2, "0")}`;
}

/** Prints each item with what can come after it. @param print `last`: no item comes after it */
export function printSequence(
  items: readonly Node[],
  follow: Follow,
  print: (item: Node, follow: Follow, last: boolean) => string,
): string {
  const follows: Follow[] = [];
  let next = follow;
  for (const item of [...items].reverse()) {
    follows.unshift(next);
    next = firstOf(item, next);
  }
  return items
    .map((item, i) => {
      const text = print(item, follows[i] ?? UNKNOWN, i === items.length - 1);
      return item.kind === "choice" ? `(?:${text})` : text;
    })
    .join("");
}
