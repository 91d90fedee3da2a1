import { decodeUtf8 } from "./bytes.js";

/** Decimal numbers with an optional sign, fraction and exponent, blanks around them; the same in `compiler/plan/operand.ts`. */
const NUMBER = /^[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t]*$/;

/** The number that a variable holds or spells; NaN, which equals and exceeds nothing, when it is none or absent. */
export function toNumber(value: string | number | undefined): number {
  if (typeof value === "number") return value;
  return value !== undefined && NUMBER.test(value) ? Number(value) : Number.NaN;
}

/** Whether the pattern is found in a variable that may be absent; absent never matches. */
export function matches(pattern: RegExp, value: string | number | undefined, utf8 = false): boolean {
  if (value === undefined) return false;
  return pattern.test(utf8 ? decodeUtf8(String(value)) : String(value));
}

/** A list for `in`; an absent variable is in none. */
export function oneOf(...values: readonly (string | number)[]): ReadonlySet<string | number | undefined> {
  return new Set<string | number | undefined>(values);
}
