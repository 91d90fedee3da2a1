import { EMPTY, type Node } from "../ast.js";
import { invalid } from "../regex-error.js";
import type { Cursor } from "./cursor.js";
import { readGroupNumber } from "./number.js";

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
