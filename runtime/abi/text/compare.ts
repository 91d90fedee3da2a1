import { decodeUtf8 } from "./bytes.js";

/** Decimal number as the text of a variable may spell it: optional sign, fraction and exponent, and blanks around. */
export const NUMBER = /^[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t]*$/;

/** @returns NaN, which equals and exceeds nothing, if the variable is absent or no number */
export function toNumber(value: string | number | undefined): number {
  if (typeof value === "number") return value;
  return value !== undefined && NUMBER.test(value) ? Number(value) : Number.NaN;
}

/** Returns false if the variable is absent. */
export function matches(pattern: RegExp, value: string | number | undefined, utf8 = false): boolean {
  if (value === undefined) return false;
  return pattern.test(utf8 ? decodeUtf8(String(value)) : String(value));
}

/** Builds a list for `in`; it never contains an absent variable. */
export function oneOf(...values: readonly (string | number)[]): ReadonlySet<string | number | undefined> {
  return new Set<string | number | undefined>(values);
}
