import { EMPTY, type Node } from "../ast.js";
import { invalid } from "../regex-error.js";
import { readConditional } from "./conditional.js";
import type { Cursor, Flags } from "./cursor.js";
import { callOf, readGroupNumber, readName, referenceTo } from "./reference.js";
import { readVerb } from "./verb.js";

type ReadBody = (cursor: Cursor, branchReset?: boolean) => Node;

/**
 * The cursor is behind `(`.
 * @returns undefined for `(?i)` and other items that match nothing
 */
export function readGroup(cursor: Cursor, body: ReadBody): Node | undefined {
  const at = cursor.position - 1;
  if (cursor.peek() === "*" && !["", ")"].includes(cursor.peek(1))) return readVerb(cursor, body);
  if (!cursor.take("?")) {
    if (cursor.flags.noCapture) return closed(cursor, body);
    return captured(cursor, body);
  }
  if (cursor.atEnd) throw invalid(114, cursor.position);
  const mark = cursor.peek();
  if (/[\^a-zA-Z)-]/.test(mark) && !"PR".includes(mark) && !isSignedNumber(cursor)) {
    if (mark !== "C") return readFlags(cursor, body);
  }
  cursor.position++;
  switch (mark) {
    case ":":
      return closed(cursor, body);
    case "|":
      return branchReset(cursor, body, at);
    case ">":
      return { kind: "atomic", body: closed(cursor, body), at };
    case "=":
    case "!":
      return { kind: "look", ahead: true, negative: mark === "!", body: looked(cursor, body), at };
    case "*":
      cursor.refuse("non-atomic look-around", at);
      return { kind: "look", ahead: true, negative: false, body: closed(cursor, body), at };
    case "<":
      return readAngle(cursor, body, at);
    case "'":
      return named(cursor, body, "'");
    case "P":
      return readPython(cursor, body);
    case "(":
      return readConditional(cursor, body, at);
    case "C":
      return readCallout(cursor, at);
    case "R":
      if (!cursor.take(")")) throw invalid(158, cursor.position);
      return callOf(cursor, 0, cursor.position - 2);
    case "&": {
      const start = cursor.position;
      return callOf(cursor, readName(cursor, ")"), start);
    }
    default:
      cursor.position--;
      return readNumberedCall(cursor);
  }
}

function isSignedNumber(cursor: Cursor): boolean {
  return cursor.peek() === "-" && /[0-9]/.test(cursor.peek(1));
}

function closed(cursor: Cursor, body: ReadBody): Node {
  const node = body(cursor);
  if (!cursor.take(")")) throw invalid(114, cursor.position);
  return node;
}

/** PCRE2 10.38 and later reject `\K` in lookarounds. */
function looked(cursor: Cursor, body: ReadBody): Node {
  cursor.lookDepth++;
  const node = closed(cursor, body);
  cursor.lookDepth--;
  return node;
}

function captured(cursor: Cursor, body: ReadBody): Node {
  const number = ++cursor.groupCount;
  return { kind: "group", number, body: closed(cursor, body) };
}

function named(cursor: Cursor, body: ReadBody, terminator: string): Node {
  const name = readName(cursor, terminator);
  const known = cursor.names.get(name);
  const number = cursor.groupCount + 1;
  const again = known !== undefined && !known.includes(number);
  if (again && !cursor.flags.duplicateNames) throw invalid(143, cursor.position);
  for (const [other, numbers] of cursor.names)
    if (other !== name && numbers.includes(number)) throw invalid(165, cursor.position);
  cursor.names.set(name, [...new Set([...(known ?? []), number])]);
  return captured(cursor, body);
}

function readAngle(cursor: Cursor, body: ReadBody, at: number): Node {
  if (cursor.take("*")) {
    cursor.refuse("non-atomic look-around", at);
    cursor.hasLookbehind = true;
    return { kind: "look", ahead: false, negative: false, body: closed(cursor, body), at };
  }
  const mark = cursor.peek();
  if (mark === "=" || mark === "!") {
    cursor.position++;
    cursor.hasLookbehind = true;
    return { kind: "look", ahead: false, negative: mark === "!", body: looked(cursor, body), at };
  }
  return named(cursor, body, ">");
}

/** `(?P<name>...)`, `(?P=name)` or `(?P>name)`. */
function readPython(cursor: Cursor, body: ReadBody): Node {
  if (cursor.atEnd) throw invalid(114, cursor.position);
  if (cursor.take("<")) return named(cursor, body, ">");
  const start = cursor.position + 1;
  if (cursor.take("=")) return referenceTo(cursor, readName(cursor, ")"), start);
  if (!cursor.take(">")) throw invalid(141, cursor.position);
  return callOf(cursor, readName(cursor, ")"), start);
}

/** `(?1)`, `(?+1)` or `(?-1)`. Anything else is no group. */
function readNumberedCall(cursor: Cursor): Node {
  const signed = /[+-]/.test(cursor.peek());
  if (signed && !/[0-9]/.test(cursor.peek(1))) throw invalid(129, cursor.position);
  const number = readGroupNumber(cursor, cursor.groupCount);
  if (number === undefined) throw invalid(111, cursor.position);
  const end = cursor.position;
  if (!cursor.take(")")) throw invalid(114, cursor.position);
  return callOf(cursor, number, end);
}

/** `(?|(a)|(b))`: the groups of all branches share their numbers, which JavaScript does not support. */
function branchReset(cursor: Cursor, body: ReadBody, at: number): Node {
  const before = cursor.groupCount;
  const node = closed(cursor, () => body(cursor, true));
  cursor.branchReset = true;
  if (cursor.groupCount > before) cursor.refuse("(?|...) gives several groups the same number", at);
  return node;
}

function readCallout(cursor: Cursor, at: number): Node {
  const digits = cursor.takeWhile(/[0-9]/);
  if (Number(digits) > 255) throw invalid(138, cursor.position);
  if (!cursor.take(")")) throw invalid(cursor.atEnd ? 114 : 139, cursor.position);
  cursor.refuse("callouts", at);
  return EMPTY;
}

const FLAG_OF: Readonly<Record<string, keyof Flags>> = {
  i: "caseless",
  m: "multiline",
  s: "dotAll",
  n: "noCapture",
  J: "duplicateNames",
  U: "ungreedy",
};

/** `(?i)`, `(?i-s)` or `(?^x)` for the rest of the group, `(?i:...)` for a group. */
function readFlags(cursor: Cursor, body: ReadBody): Node | undefined {
  const outer = cursor.flags;
  const flags = { ...outer };
  let value = true;
  if (cursor.take("^")) {
    Object.assign(flags, { caseless: false, multiline: false, dotAll: false, noCapture: false });
    Object.assign(flags, { extended: false, extendedMore: false });
    value = false;
  }
  const hyphenAllowed = value;
  value = true;
  for (;;) {
    if (cursor.atEnd) throw invalid(114, cursor.position);
    const letter = cursor.peek();
    cursor.position++;
    if (letter === ")" || letter === ":") {
      cursor.flags = flags;
      if (letter === ")") return undefined;
      const node = closed(cursor, body);
      cursor.flags = outer;
      return node;
    }
    const flag = FLAG_OF[letter];
    if (letter === "-") {
      if (!value || !hyphenAllowed) throw invalid(194, cursor.position - 1);
      value = false;
    } else if (letter === "x") {
      flags.extendedMore = cursor.take("x") && value;
      flags.extended = value;
    } else if (flag !== undefined) {
      flags[flag] = value;
    } else {
      throw invalid(111, cursor.position - 1);
    }
  }
}
