import {
  type CharSet,
  complement,
  LAST_BYTE,
  LAST_CODE_POINT,
  negate,
  type Range,
  setOf,
} from "../charset.js";
import { escapeClass, posixClass } from "../classes.js";
import { foldRanges } from "../folding.js";
import { readProperty } from "../property.js";
import { invalid } from "../regex-error.js";
import type { Cursor } from "./cursor.js";
import { readEscape } from "./escape.js";

/** `[[:<:]]` and `[[:>:]]` are written as classes but mean word boundaries. */
export type ClassItem = { set: CharSet } | { boundary: "wordStart" | "wordEnd" };

interface Members {
  ranges: Range[];
  properties: string[];
}

/** The cursor is behind `[`. */
export function readClass(cursor: Cursor): ClassItem {
  if (cursor.take("[:<:]]")) return { boundary: "wordStart" };
  if (cursor.take("[:>:]]")) return { boundary: "wordEnd" };
  refuseOutsideClass(cursor);
  const negated = readIntroduction(cursor);
  const members: Members = { ranges: [], properties: [] };
  readMembers(cursor, members);
  const last = cursor.utf ? LAST_CODE_POINT : LAST_BYTE;
  if (members.properties.length > 0)
    return { set: { ranges: setOf(members.ranges).ranges, properties: members.properties, negated } };
  const set = setOf(members.ranges);
  return { set: negated ? negate(set, last) : set };
}

/** `[:alpha:]`, `[.x.]` and `[=x=]` outside of a class are mistakes. */
function refuseOutsideClass(cursor: Cursor): void {
  const mark = cursor.peek();
  if (mark !== ":" && mark !== "." && mark !== "=") return;
  if (posixEnd(cursor, 0) === undefined) return;
  throw invalid(mark === ":" ? 112 : 113, cursor.position - 1);
}

/** @returns length, with `:]`, of a POSIX item that begins `offset` units ahead with its mark */
function posixEnd(cursor: Cursor, offset: number): number | undefined {
  const mark = cursor.peek(offset);
  for (let i = offset + 1; cursor.position + i + 1 < cursor.units.length; i++) {
    const unit = cursor.peek(i);
    if (unit === "\\" && (cursor.peek(i + 1) === "]" || cursor.peek(i + 1) === "\\")) i++;
    else if ((unit === "[" && cursor.peek(i + 1) === mark) || unit === "]") return undefined;
    else if (unit === mark && cursor.peek(i + 1) === "]") return i + 2;
  }
  return undefined;
}

/** A caret before the first member, and items around it without a meaning. */
function readIntroduction(cursor: Cursor): boolean {
  let negated = false;
  for (;;) {
    skipBlanks(cursor);
    if (cursor.take("\\Q\\E")) continue;
    if (cursor.take("\\E")) {
      if (cursor.atEnd) throw invalid(101, cursor.position);
    } else if (!negated && cursor.take("^")) {
      negated = true;
    } else {
      return negated;
    }
  }
}

function skipBlanks(cursor: Cursor): void {
  if (cursor.flags.extendedMore) cursor.takeWhile(/[ \t]/);
}

function readMembers(cursor: Cursor, members: Members): void {
  let first = true;
  let pending: number | undefined;
  /** Behind a class escape or POSIX class a hyphen may not begin a range. */
  let afterClass = false;
  for (;;) {
    if (!cursor.quoting) skipBlanks(cursor);
    if (cursor.atEnd) throw invalid(106, cursor.position);
    if (cursor.quoting ? cursor.take("\\E") : cursor.take("\\Q")) {
      cursor.quoting = !cursor.quoting;
      continue;
    }
    if (!cursor.quoting) {
      if (cursor.take("\\E")) continue;
      if (!first && cursor.take("]")) return;
      if (cursor.peek() === "-" && isRange(cursor)) {
        if (afterClass) throw invalid(150, cursor.position);
        if (pending !== undefined) {
          const start = pending;
          pending = undefined;
          readRangeEnd(cursor, members, start);
          first = false;
          continue;
        }
      }
    }
    first = false;
    const item = readMember(cursor, members);
    afterClass = item === undefined;
    pending = item;
    if (item !== undefined) add(cursor, members, [item, item]);
  }
}

/** A hyphen makes a range unless it is the last member. */
function isRange(cursor: Cursor): boolean {
  let i = 1;
  while (cursor.flags.extendedMore && /[ \t]/.test(cursor.peek(i))) i++;
  while (cursor.peek(i) === "\\" && cursor.peek(i + 1) === "E") i += 2;
  return cursor.peek(i) !== "]" && cursor.peek(i) !== "";
}

function readRangeEnd(cursor: Cursor, members: Members, from: number): void {
  cursor.position++;
  skipBlanks(cursor);
  while (cursor.startsWith("\\E")) cursor.position += 2;
  if (cursor.take("\\Q")) cursor.quoting = true;
  if (cursor.atEnd) throw invalid(106, cursor.position);
  if (cursor.peek() === "[" && isPosix(cursor)) throw invalid(150, cursor.position);
  if (!cursor.quoting && cursor.peek() === "\\" && /[ACDGHKNPSVWZdhkpsvwz]/.test(cursor.peek(1)))
    throw invalid(150, cursor.position + 2);
  const to = readMember(cursor, members);
  if (to === undefined) throw invalid(150, cursor.position);
  if (to < from) throw invalid(108, cursor.position - 1);
  add(cursor, members, [from, to]);
}

function isPosix(cursor: Cursor): boolean {
  return ":.=".includes(cursor.peek(1)) && posixEnd(cursor, 1) !== undefined;
}

/** @returns the code of the member; undefined if it was a whole class, already added */
function readMember(cursor: Cursor, members: Members): number | undefined {
  if (!cursor.quoting && cursor.peek() === "[" && isPosix(cursor)) {
    readPosix(cursor, members);
    return undefined;
  }
  if (cursor.quoting || cursor.peek() !== "\\") {
    const code = cursor.units[cursor.position] ?? 0;
    cursor.position++;
    return code;
  }
  cursor.position++;
  const meaning = readEscape(cursor, true);
  if ("code" in meaning) return meaning.code;
  return readClassEscape(cursor, members, meaning.letter);
}

function readClassEscape(cursor: Cursor, members: Members, letter: string): number | undefined {
  if (letter === "b") return 8;
  if (letter === "N") throw invalid(171, cursor.position);
  if (letter === "p" || letter === "P") {
    const property = readProperty(cursor, letter === "P");
    members.ranges.push(...property.ranges);
    members.properties.push(...property.properties);
    return undefined;
  }
  const set = escapeClass(letter.toLowerCase(), cursor.utf);
  if (set === undefined) throw invalid(107, cursor.position - 1);
  const last = cursor.utf ? LAST_CODE_POINT : LAST_BYTE;
  members.ranges.push(...(letter === letter.toLowerCase() ? set.ranges : complement(set.ranges, last)));
  return undefined;
}

function readPosix(cursor: Cursor, members: Members): void {
  const length = posixEnd(cursor, 1) ?? 0;
  if (cursor.peek(1) !== ":") throw invalid(113, cursor.position);
  let name = "";
  for (let i = 2; i < length - 2; i++) name += cursor.peek(i);
  const negated = name.startsWith("^");
  const set = posixClass(negated ? name.slice(1) : name, cursor.flags.caseless);
  if (set === undefined) throw invalid(130, cursor.position + (negated ? 3 : 2));
  cursor.position += length;
  const last = cursor.utf ? LAST_CODE_POINT : LAST_BYTE;
  members.ranges.push(...(negated ? complement(set.ranges, last) : set.ranges));
}

function add(cursor: Cursor, members: Members, range: Range): void {
  if (cursor.flags.caseless) members.ranges.push(...foldRanges([range], cursor.utf));
  else members.ranges.push(range);
}
