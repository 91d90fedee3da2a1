import { decodeUtf8 } from "./bytes.js";

/**
 * Decimal numbers with optional sign, fraction and exponent, and blanks around; as in
 * `compiler/4-plan/operand.ts`.
 */
const NUMBER = /^[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t]*$/;

/**
 * Returns the number in a variable.
 * @returns NaN, which equals and exceeds nothing, if it is absent or no number
 */
export function toNumber(value: string | number | undefined): number {
  if (typeof value === "number") return value;
  return value !== undefined && NUMBER.test(value) ? Number(value) : Number.NaN;
}

/** Reports whether a variable matches the pattern; false if it is absent. */
export function matches(pattern: RegExp, value: string | number | undefined, utf8 = false): boolean {
  if (value === undefined) return false;
  return pattern.test(utf8 ? decodeUtf8(String(value)) : String(value));
}

/** Builds a list for `in`; it never contains an absent variable. */
export function oneOf(...values: readonly (string | number)[]): ReadonlySet<string | number | undefined> {
  return new Set<string | number | undefined>(values);
}
