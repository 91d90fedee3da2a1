import { EMPTY, type Node } from "../ast.js";
import { setOf } from "../charset.js";
import { invalid } from "../regex-error.js";
import type { Cursor } from "./cursor.js";

/** Spelled-out lookarounds and atomic groups of PCRE2 10.33. */
const LOOKS: Readonly<Record<string, { ahead: boolean; negative: boolean } | "atomic">> = {
  pla: { ahead: true, negative: false },
  positive_lookahead: { ahead: true, negative: false },
  nla: { ahead: true, negative: true },
  negative_lookahead: { ahead: true, negative: true },
  plb: { ahead: false, negative: false },
  positive_lookbehind: { ahead: false, negative: false },
  nlb: { ahead: false, negative: true },
  negative_lookbehind: { ahead: false, negative: true },
  atomic: "atomic",
};

const CONTROL = new Set(["ACCEPT", "COMMIT", "PRUNE", "SKIP", "THEN", "MARK"]);

/** `(*FAIL)`, `(*pla:...)` and similar items; the cursor is behind `(`. */
export function readVerb(cursor: Cursor, body: (cursor: Cursor) => Node): Node {
  const at = cursor.position - 1;
  cursor.position++;
  const name = cursor.takeWhile(/[A-Za-z0-9_]/);
  if (/^[a-z]/.test(name)) return readSpelledOut(cursor, body, name, at);
  if (name === "F" || name === "FAIL") {
    if (!cursor.take(")")) throw invalid(160, cursor.position);
    return { kind: "look", ahead: true, negative: true, body: EMPTY, at };
  }
  if (!CONTROL.has(name) && (name !== "" || cursor.peek() !== ":")) throw invalid(160, cursor.position);
  while (!cursor.atEnd && cursor.peek() !== ")") cursor.position++;
  if (!cursor.take(")")) throw invalid(160, cursor.position);
  cursor.refuse(`(*${name}) steers backtracking`, at);
  return { kind: "set", set: setOf([]) };
}

export function spelledOutLook(name: string): { ahead: boolean; negative: boolean } | "atomic" | undefined {
  return Object.hasOwn(LOOKS, name) ? LOOKS[name] : undefined;
}

function readSpelledOut(cursor: Cursor, body: (cursor: Cursor) => Node, name: string, at: number): Node {
  const look = spelledOutLook(name);
  const known = look !== undefined || /^(?:na|non_atomic_|s|a|script_|atomic_script_)/.test(name);
  if (!known || !cursor.take(":")) throw invalid(195, cursor.position);
  const inner = body(cursor);
  if (!cursor.take(")")) throw invalid(114, cursor.position);
  if (look === "atomic") return { kind: "atomic", body: inner, at };
  if (look !== undefined) return { kind: "look", ...look, body: inner, at };
  cursor.refuse(`(*${name}:...)`, at);
  return inner;
}
