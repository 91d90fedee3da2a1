import { EMPTY, type Node } from "../ast.js";
import { invalid } from "../regex-error.js";
import type { Cursor } from "./cursor.js";

const MAX_NAME = 32;

/** Also consumes `terminator`. */
export function readName(cursor: Cursor, terminator: string): string {
  const start = cursor.position;
  if (cursor.atEnd) throw invalid(162, cursor.position);
  if (/[0-9]/.test(cursor.peek())) throw invalid(144, cursor.position);
  const name = cursor.takeWhile(cursor.utf ? /[\p{L}\p{Nd}_]/u : /[A-Za-z0-9_]/);
  if (cursor.position - start > MAX_NAME) throw invalid(148, cursor.position);
  if (name === "") throw invalid(162, cursor.position);
  if (!cursor.take(terminator)) throw invalid(142, cursor.position);
  return name;
}

export function referenceTo(cursor: Cursor, group: number | string, at: number): Node {
  const { caseless } = cursor.flags;
  return resolvedLater(cursor, group, { kind: "backReference", group: 0, caseless, at });
}

/** Sets the group of a node once all groups of the pattern have numbers. */
function resolvedLater(
  cursor: Cursor,
  group: number | string,
  node: Node & { kind: "backReference" | "call" },
): Node {
  cursor.references.push({
    at: node.at,
    group,
    order: cursor.position,
    resolve(number) {
      node.group = number;
    },
  });
  return node;
}

/** `\k<name>`, `\k'name'` or `\k{name}`; the cursor is behind `k`. */
export function readNamedReference(cursor: Cursor): Node {
  const open = cursor.peek();
  const close = { "{": "}", "<": ">", "'": "'" }[open];
  if (close === undefined) throw invalid(169, cursor.position);
  cursor.position++;
  const at = cursor.position;
  return referenceTo(cursor, readName(cursor, close), at);
}

/** `\g1`, `\g{1}`, `\g{-1}` or `\g{name}`; `\g<1>` is a subroutine call. The cursor is behind `g`. */
export function readCallBySign(cursor: Cursor): Node {
  const at = cursor.position;
  const open = cursor.peek();
  if (open === "<" || open === "'") {
    cursor.position++;
    const close = open === "<" ? ">" : "'";
    const start = cursor.position;
    const number = readGroupNumber(cursor, cursor.groupCount);
    if (number === undefined) return callOf(cursor, readName(cursor, close), start);
    const end = cursor.position;
    if (!cursor.take(close)) throw invalid(157, at);
    return callOf(cursor, number, end);
  }
  if (cursor.take("{")) {
    const number = readGroupNumber(cursor, cursor.groupCount, at);
    if (number === undefined) return referenceTo(cursor, readName(cursor, "}"), at + 1);
    if (!cursor.take("}")) throw invalid(157, at);
    if (number <= 0) throw invalid(115, cursor.position);
    return referenceTo(cursor, number, cursor.position - 1);
  }
  const number = readGroupNumber(cursor, cursor.groupCount);
  if (number === undefined) throw invalid(157, cursor.position);
  if (number <= 0) throw invalid(115, cursor.position);
  return referenceTo(cursor, number, cursor.position - 1);
}

/** Group 0 is the whole pattern, which is always recursion. */
export function callOf(cursor: Cursor, group: number | string, at: number): Node {
  if (group === 0) {
    cursor.refuse("recursion", at);
    return EMPTY;
  }
  return resolvedLater(cursor, group, { kind: "call", group: 0, at });
}

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
