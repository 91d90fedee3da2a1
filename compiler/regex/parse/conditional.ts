import { EMPTY, type Node } from "../ast.js";
import { invalid } from "../regex-error.js";
import type { Cursor } from "./cursor.js";
import { definition } from "./inline.js";
import { readGroupNumber, readName } from "./reference.js";
import { spelledOutLook } from "./verb.js";

/** For faults of PCRE2's second pass, which counts branches after all references are valid. */
const SECOND_PASS = 1e9;

/**
 * The cursor is behind `(?(`. A lookaround as condition becomes two guarded branches. JavaScript cannot test
 * whether a group has matched.
 */
export function readConditional(cursor: Cursor, body: (cursor: Cursor) => Node, at: number): Node {
  if (cursor.atEnd) throw invalid(114, cursor.position);
  const look = readLook(cursor, body, at);
  const define = look === undefined && cursor.take("DEFINE)");
  if (look === undefined && !define) readGroupCondition(cursor, at);
  const node = body(cursor);
  if (!cursor.take(")")) throw invalid(114, cursor.position);
  const branches = node.kind === "choice" ? node.branches : [node];
  if (define && branches.length > 1)
    cursor.lateFaults.push({ order: cursor.position + SECOND_PASS, fault: invalid(154, at + 3) });
  if (define && cursor.lookDepth > 0) cursor.refuse("DEFINE in a look-around", at);
  if (define) return definition(node);
  if (branches.length > 2) {
    cursor.lateFaults.push({ order: cursor.position + SECOND_PASS, fault: invalid(127, at) });
    return node;
  }
  if (look === undefined) return node;
  return {
    kind: "conditional",
    condition: look,
    yes: branches[0] ?? EMPTY,
    no: branches[1] ?? EMPTY,
    alone: branches.length < 2,
    at,
  };
}

function readLook(
  cursor: Cursor,
  body: (cursor: Cursor) => Node,
  at: number,
): (Node & { kind: "look" }) | undefined {
  if (cursor.startsWith("?#") && !cursor.units.includes(0x29, cursor.position))
    throw invalid(118, cursor.units.length);
  if (cursor.peek() === "*") return readSpelledOut(cursor, body, at);
  if (cursor.peek() !== "?") return undefined;
  const sign = /^\?(<?)([=!])/.exec(cursor.peek() + cursor.peek(1) + cursor.peek(2));
  if (sign === null) throw invalid(128, cursor.position - 1);
  cursor.position += sign[0].length;
  const node = body(cursor);
  if (!cursor.take(")")) throw invalid(114, cursor.position);
  return { kind: "look", ahead: sign[1] === "", negative: sign[2] === "!", body: node, at };
}

/** `(?(*pla:...)` */
function readSpelledOut(cursor: Cursor, body: (cursor: Cursor) => Node, at: number): Node & { kind: "look" } {
  if (!/[a-z]/.test(cursor.peek(1))) throw invalid(128, cursor.position - 1);
  cursor.position++;
  const look = spelledOutLook(cursor.takeWhile(/[A-Za-z0-9_]/));
  if (look === undefined || look === "atomic" || !cursor.take(":")) throw invalid(195, cursor.position);
  const node = body(cursor);
  if (!cursor.take(")")) throw invalid(114, cursor.position);
  return { kind: "look", ...look, body: node, at };
}

function readGroupCondition(cursor: Cursor, at: number): void {
  cursor.refuse("a condition on a group", at);
  const number = readGroupNumber(cursor, cursor.groupCount);
  if (number !== undefined) {
    const end = cursor.position;
    if (!cursor.take(")")) throw invalid(124, cursor.position);
    if (number === 0) throw invalid(115, end);
    cursor.references.push({ at: end - 2, group: number, order: cursor.position, resolve() {} });
    return;
  }
  if (cursor.take("VERSION")) {
    cursor.takeWhile(/[^)]/);
    if (!cursor.take(")")) throw invalid(179, cursor.position);
    return;
  }
  if (cursor.take("R&")) {
    const start = cursor.position;
    cursor.references.push({ at: start, group: readName(cursor, ")"), order: cursor.position, resolve() {} });
    return;
  }
  const close = cursor.take("<") ? ">" : cursor.take("'") ? "'" : ")";
  const nameStart = cursor.position;
  const name = readName(cursor, close);
  if (close !== ")" && !cursor.take(")")) throw invalid(124, cursor.position);
  if (close === ")" && name === "R") return;
  const recursion = /^R(\d+)$/.exec(name)?.[1];
  if (close === ")" && recursion !== undefined) {
    cursor.references.push({ at: nameStart, group: Number(recursion), order: cursor.position, resolve() {} });
    return;
  }
  cursor.references.push({ at: nameStart, group: name, order: cursor.position, resolve() {} });
}
