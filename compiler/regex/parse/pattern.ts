import { checkLookbehinds } from "../analyse/lookbehind.js";
import { EMPTY, groupBodies, type Node } from "../ast.js";
import { type CharSet, LAST_BYTE, LAST_CODE_POINT, negate, setOf, single } from "../charset.js";
import { escapeClass, LINE_FEED } from "../classes.js";
import { foldRanges } from "../folding.js";
import { readProperty } from "../property.js";
import { invalid, RegexError } from "../regex-error.js";
import { readClass } from "./class.js";
import type { Cursor } from "./cursor.js";
import { readEscape } from "./escape.js";
import { readGroup } from "./group.js";
import { inlineCalls } from "./inline.js";
import { readCallBySign, readCounts, readNamedReference, referenceTo } from "./reference.js";

/** PCRE2's default limit, as nginx uses it. */
const MAX_DEPTH = 250;

/**
 * Subroutine calls are replaced by copies.
 * @throws RegexError if PCRE2 rejects the pattern, or it has a construct that is not translated
 */
export function parsePattern(cursor: Cursor): Node {
  const node = readAlternatives(cursor);
  if (!cursor.atEnd) throw invalid(122, cursor.position);
  resolveReferences(cursor);
  const bodies = groupBodies(node);
  if (cursor.hasLookbehind) checkLookbehinds(node, { bodies, branchReset: cursor.branchReset });
  const [first] = [...cursor.lateFaults].sort((a, b) => a.order - b.order);
  if (first !== undefined) throw first.fault;
  if (cursor.keptInLook) throw invalid(199, cursor.position);
  const [refused] = [...cursor.untranslatable].sort((a, b) => a.at - b.at);
  if (refused !== undefined) throw new RegexError(refused.reason, refused.at, true);
  return inlineCalls(node, bodies);
}

function resolveReferences(cursor: Cursor): void {
  for (const { group, at, order, resolve } of cursor.references) {
    const numbers = typeof group === "number" ? [group] : (cursor.names.get(group) ?? []);
    const [number, another] = numbers;
    if (number === undefined || number > cursor.groupCount)
      cursor.lateFaults.push({ order, fault: invalid(115, at) });
    resolve(number ?? 0);
    if (another !== undefined)
      cursor.refuse(`"${group}" names several groups, so which one is meant depends on the subject`, at);
  }
}

/** Reads up to `)` or the end. Options set inside apply until then, through all alternatives. */
function readAlternatives(cursor: Cursor, branchReset = false): Node {
  const flags = cursor.flags;
  const firstGroup = cursor.groupCount;
  let groupCount = firstGroup;
  if (++cursor.depth > MAX_DEPTH + 1) throw invalid(119, cursor.position);
  const branches: Node[] = [readSequence(cursor)];
  while (cursor.take("|")) {
    groupCount = Math.max(groupCount, cursor.groupCount);
    if (branchReset) cursor.groupCount = firstGroup;
    branches.push(readSequence(cursor));
  }
  cursor.groupCount = Math.max(groupCount, cursor.groupCount);
  cursor.depth--;
  cursor.flags = flags;
  const [only, second] = branches;
  return only !== undefined && second === undefined ? only : { kind: "choice", branches };
}

function readSequence(cursor: Cursor): Node {
  const items: Node[] = [];
  /** A quantifier may follow a group, but not a simple assertion. */
  let repeatable = false;
  for (;;) {
    skipIgnored(cursor);
    if (cursor.atEnd) break;
    if (!cursor.quoting) {
      const next = cursor.peek();
      if (next === "|" || next === ")") break;
      const repeat = readQuantifier(cursor, items[items.length - 1], repeatable);
      if (repeat !== undefined) {
        items[items.length - 1] = repeat;
        repeatable = false;
        continue;
      }
    }
    const group = !cursor.quoting && cursor.peek() === "(" && !cursor.startsWith("(*");
    const item = readItem(cursor);
    repeatable = item !== undefined && (group || item.kind !== "assertion");
    /* PCRE2 treats (?:a)* unlike a*, and (?<=(?:a|bc)) unlike (?<=a|bc), so a group stays a group. */
    const lone = group && (item?.kind === "set" || item?.kind === "newline" || item?.kind === "choice");
    if (item !== undefined) items.push(lone ? { kind: "sequence", items: [item] } : item);
  }
  return items.length === 1 ? (items[0] ?? EMPTY) : { kind: "sequence", items };
}

/** Comments, `\Q \E`, and with option `x` spaces and `#` lines. */
function skipIgnored(cursor: Cursor): void {
  for (;;) {
    if (cursor.quoting) {
      if (!cursor.take("\\E")) return;
      cursor.quoting = false;
    } else if (cursor.take("\\Q")) {
      cursor.quoting = true;
    } else if (cursor.take("\\E")) {
    } else if (cursor.startsWith("(?#")) {
      skipComment(cursor);
    } else if (cursor.flags.extended && !cursor.atEnd && isBlank(cursor)) {
      cursor.position++;
    } else if (cursor.flags.extended && cursor.peek() === "#") {
      while (!cursor.atEnd && cursor.units[cursor.position] !== LINE_FEED) cursor.position++;
    } else {
      return;
    }
  }
}

function skipComment(cursor: Cursor): void {
  while (!cursor.atEnd && cursor.peek() !== ")") cursor.position++;
  if (!cursor.take(")")) throw invalid(118, cursor.position);
}

function isBlank(cursor: Cursor): boolean {
  const unit = cursor.units[cursor.position] ?? 0;
  if ((unit >= 9 && unit <= 13) || unit === 32) return true;
  return (
    cursor.utf && (unit === 0x85 || unit === 0x200e || unit === 0x200f || unit === 0x2028 || unit === 0x2029)
  );
}

function readQuantifier(cursor: Cursor, body: Node | undefined, repeatable: boolean): Node | undefined {
  const at = cursor.position;
  const counts = cursor.take("*")
    ? { min: 0, max: Infinity }
    : cursor.take("+")
      ? { min: 1, max: Infinity }
      : cursor.take("?")
        ? { min: 0, max: 1 }
        : cursor.peek() === "{"
          ? readCounts(cursor)
          : undefined;
  if (counts === undefined) return undefined;
  if (body === undefined || !repeatable) throw invalid(109, cursor.position - 1);
  const { min, max } = counts;
  skipIgnored(cursor);
  if (cursor.quoting)
    return { kind: "repeat", body, min, max, mode: cursor.flags.ungreedy ? "lazy" : "greedy", at };
  if (cursor.take("+")) return { kind: "repeat", body, min, max, mode: "possessive", at };
  const lazy = cursor.take("?") !== cursor.flags.ungreedy;
  return { kind: "repeat", body, min, max, mode: lazy ? "lazy" : "greedy", at };
}

/** @returns undefined for items that only change options */
function readItem(cursor: Cursor): Node | undefined {
  const at = cursor.position;
  const next = cursor.peek();
  if (cursor.quoting) return literal(cursor, cursor.units[cursor.position++] ?? 0);
  cursor.position++;
  switch (next) {
    case "\\":
      return readEscapedItem(cursor);
    case "[": {
      const item = readClass(cursor);
      return "set" in item
        ? { kind: "set", set: item.set }
        : { kind: "assertion", assertion: item.boundary, at };
    }
    case "(":
      return readGroup(cursor, readAlternatives);
    case "^":
      return { kind: "assertion", assertion: cursor.flags.multiline ? "lineStart" : "start", at };
    case "$":
      return { kind: "assertion", assertion: cursor.flags.multiline ? "lineEnd" : "finalEnd", at };
    case ".":
      return cursor.flags.dotAll ? { kind: "set", set: everything(cursor) } : notLineFeed(cursor);
    default:
      return literal(cursor, cursor.units[at] ?? 0);
  }
}

function last(cursor: Cursor): number {
  return cursor.utf ? LAST_CODE_POINT : LAST_BYTE;
}

function everything(cursor: Cursor): CharSet {
  return setOf([[0, last(cursor)]]);
}

function notLineFeed(cursor: Cursor): Node {
  return { kind: "set", set: negate(single(LINE_FEED), last(cursor)), letter: "." };
}

function literal(cursor: Cursor, code: number): Node {
  const set = single(code);
  return { kind: "set", set: cursor.flags.caseless ? setOf(foldRanges(set.ranges, cursor.utf)) : set };
}

const ASSERTIONS = {
  A: "start",
  z: "end",
  Z: "finalEnd",
  G: "matchStart",
  b: "wordBoundary",
  B: "notWordBoundary",
} as const;

function readEscapedItem(cursor: Cursor): Node | undefined {
  const meaning = readEscape(cursor, false);
  if ("code" in meaning) return literal(cursor, meaning.code);
  const { letter, at } = meaning;
  if (/^\d/.test(letter)) return referenceTo(cursor, Number(letter), cursor.position - 1);
  if (letter in ASSERTIONS) {
    const assertion = ASSERTIONS[letter as keyof typeof ASSERTIONS];
    return { kind: "assertion", assertion, at };
  }
  switch (letter) {
    case "N":
      return notLineFeed(cursor);
    case "R":
      return { kind: "newline" };
    case "p":
    case "P":
      return { kind: "set", set: readProperty(cursor, letter === "P") };
    case "k":
      return readNamedReference(cursor);
    case "g":
      return readCallBySign(cursor);
    case "K":
      if (cursor.lookDepth > 0) cursor.keptInLook = true;
      cursor.refuse("\\K moves the start of the match", at);
      return { kind: "assertion", assertion: "start", at };
    case "C":
    case "X":
      cursor.refuse(
        letter === "C" ? "\\C matches one byte of a character" : "\\X matches a grapheme cluster",
        at,
      );
      return { kind: "set", set: everything(cursor) };
    default: {
      const set = escapeClass(letter.toLowerCase(), cursor.utf);
      if (set === undefined) throw new RegexError("unrecognized character follows \\", at + 1);
      return { kind: "set", set: letter === letter.toLowerCase() ? set : negate(set, last(cursor)), letter };
    }
  }
}
