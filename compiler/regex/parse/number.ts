import { invalid } from "../regex-error.js";
import type { Cursor } from "./cursor.js";

/** PCRE2's limit for the numbers in `{n,m}`. */
const MAX_REPEAT = 65535;

export interface Counts {
  min: number;
  max: number;
}

/**
 * Anything but `{n}`, `{n,}` or `{n,m}` is literal text in PCRE2 10.42.
 * @throws RegexError for numbers out of order or above 65535
 */
export function readCounts(cursor: Cursor): Counts | undefined {
  const start = cursor.position;
  cursor.position++;
  const low = cursor.takeWhile(/[0-9]/);
  const comma = cursor.take(",");
  const high = comma ? cursor.takeWhile(/[0-9]/) : low;
  if (low === "" || !cursor.take("}")) {
    cursor.position = start;
    return undefined;
  }
  const min = repeatNumber(low, start + 1);
  const max = high === "" ? Number.POSITIVE_INFINITY : repeatNumber(high, cursor.position - 1 - high.length);
  if (max < min) throw invalid(104, cursor.position - 1);
  return { min, max };
}

/** The error is behind the digit that exceeds the limit. */
function repeatNumber(digits: string, at: number): number {
  let value = 0;
  for (const [i, digit] of [...digits].entries()) {
    value = value * 10 + Number(digit);
    if (value > MAX_REPEAT) throw invalid(105, at + i + 1);
  }
  return value;
}

/** PCRE2's highest group number. */
const MAX_GROUP = 65535;

/**
 * `+n` and `-n` count from `groupCount` (undefined: signs are not allowed).
 * @param faultAt where PCRE2 reports a relative number that goes too far back. Default: behind the number
 * @returns undefined if there is no number
 */
export function readGroupNumber(
  cursor: Cursor,
  groupCount: number | undefined,
  faultAt?: number,
): number | undefined {
  const start = cursor.position;
  let sign = "";
  if (groupCount !== undefined && /[+-]/.test(cursor.peek())) {
    sign = cursor.peek();
    cursor.position++;
  }
  const digits = cursor.takeWhile(/[0-9]/);
  if (digits === "") {
    cursor.position = start;
    return undefined;
  }
  const value = Number(digits);
  if (value > MAX_GROUP) throw invalid(161, cursor.position);
  if (sign === "") return value;
  if (value === 0) throw invalid(126, cursor.position);
  if (sign === "-") {
    if (value > (groupCount ?? 0)) throw invalid(115, faultAt ?? cursor.position);
    return (groupCount ?? 0) - value + 1;
  }
  return (groupCount ?? 0) + value;
}
