import type { Node } from "../ast.js";
import { type CharSet, disjoint, onlyMember, setOf } from "../charset.js";
import { emptiness } from "./empty.js";

/** Possible continuations of a part of a pattern. */
export interface Follow {
  next: readonly Next[];
  /** The pattern may end here. */
  end: boolean;
  /** False if something else may follow, such as a lookaround. */
  known: boolean;
  /** First characters of a group that can be empty: PCRE2 takes them for the only ones (`isMadePossessive`). */
  doubtful: readonly Next[];
}

interface Next {
  set: CharSet;
  /** `S` if the next item is `\S`, `R` for `\R`... */
  letter?: string;
}

const NOTHING: Follow = { next: [], end: false, known: true, doubtful: [] };
export const ACCEPT: Follow = { ...NOTHING, end: true };
export const UNKNOWN: Follow = { ...NOTHING, known: false };

const NEWLINE: Next = {
  set: setOf([
    [0x0a, 0x0d],
    [0x85, 0x85],
    [0x2028, 0x2029],
  ]),
  letter: "R",
};

export function firstOf(node: Node, follow: Follow): Follow {
  const own = ownFirst(node);
  return own.end ? merge([{ ...own, end: false }, follow]) : own;
}

/** Cache of the first characters of nodes: the printer asks for them again at each level around a node. */
const firsts = new WeakMap<Node, Follow>();

function ownFirst(node: Node): Follow {
  if (node.kind === "set") return { ...NOTHING, next: [node] };
  let first = firsts.get(node);
  if (first === undefined) firsts.set(node, (first = readFirst(node)));
  return first;
}

function readFirst(node: Node): Follow {
  switch (node.kind) {
    case "newline":
      return { ...NOTHING, next: [NEWLINE] };
    case "group":
      return ownFirst(node.body);
    case "atomic": {
      const inner = ownFirst(node.body);
      return emptiness(node.body) === "never" ? inner : doubted(inner, inner);
    }
    case "sequence":
      return [...node.items].reverse().reduce((next, item) => firstOf(item, next), ACCEPT);
    case "choice":
      return merge(node.branches.map(ownFirst));
    case "repeat":
      return firstOfRepeat(node);
    default:
      return UNKNOWN;
  }
}

function firstOfRepeat(node: Node & { kind: "repeat" }): Follow {
  if (node.max === 0) return ACCEPT;
  const inner = firstOf(node.body, node.max > 1 ? UNKNOWN : ACCEPT);
  if (node.min > 0) return inner;
  const both = merge([inner, ACCEPT]);
  const single = node.body.kind === "set" || node.body.kind === "newline";
  return node.mode === "possessive" && !single ? doubted(both, inner) : both;
}

function doubted(follow: Follow, body: Follow): Follow {
  return { ...follow, doubtful: joined([follow.doubtful, body.next]) };
}

function merge(ways: readonly Follow[]): Follow {
  return {
    next: joined(ways.map(({ next }) => next)),
    end: ways.some(({ end }) => end),
    known: ways.every((way) => way.known),
    doubtful: joined(ways.map(({ doubtful }) => doubtful)),
  };
}

/** Without duplicates: each `(?:a?|b?)` has two paths to what follows it, 2^30 with 30 of them. */
function joined(lists: readonly (readonly Next[])[]): readonly Next[] {
  const filled = lists.filter((list) => list.length > 0);
  const [first = [], second, third] = filled;
  if (second === undefined) return first;
  const [few, many] = first.length < second.length ? [first, second] : [second, first];
  if (third !== undefined || few.length > FEW) return [...new Set(filled.flat())];
  return [...few.filter((one) => !many.includes(one)), ...many];
}

/** List length up to which a Set is not worth it: for a long sequence of `a?` it would take ten times as long. */
const FEW = 4;

/** A greedy repetition of a set whose characters cannot follow it: backtracking into it never helps. */
export function neverGivesBack(node: Node, follow: Follow): boolean {
  if (node.kind !== "repeat" || node.mode !== "greedy" || node.body.kind !== "set" || !follow.known)
    return false;
  const { set } = node.body;
  return follow.next.every((next) => disjoint(set, next.set));
}

/**
 * Pairs that PCRE2 10.42 takes for disjoint although they share a character, so that it makes the repetition
 * possessive: `.*\R` does not match "a\r", nor `\S*\h` "a\xa0" there. A dot shares line ends with `\R`, `\S`
 * shares 85 and A0 with the others.
 */
const TAKEN_FOR_DISJOINT: Readonly<Record<string, string>> = { ".": "R", S: "Rhv", h: "S", v: "S", R: ".s" };

/**
 * Reports whether PCRE2 makes a repetition possessive although backtracking into it could help.
 * @returns "unknown" if that depends on its comparison with a class, or if PCRE2 forgets that a group can be
 * empty: `a*(?:b)?+a` does not match "aa" there, nor does `a*(?>b||c)a`
 */
export function isMadePossessive(node: Node & { kind: "repeat" }, follow: Follow): boolean | "unknown" {
  if (node.max === node.min) return false;
  const [repeated] =
    node.body.kind === "set" || node.body.kind === "newline" ? firstOf(node.body, NOTHING).next : [];
  if (repeated === undefined) return false;
  const { set, letter = "" } = repeated;
  const partners = TAKEN_FOR_DISJOINT[letter] ?? "";
  const mistaken = (next: Next) => next.letter !== undefined && partners.includes(next.letter);
  const apart = (next: Next) => mistaken(next) || disjoint(set, next.set);
  const really = follow.known && follow.next.every((next) => disjoint(set, next.set));
  if (follow.doubtful.length > 0 && !really && follow.doubtful.every(apart)) return "unknown";
  if (!follow.known || (follow.end && node.mode === "lazy")) return false;
  if (!follow.next.some(mistaken) || !follow.next.every(apart)) return false;
  const plain = (next: Next) => next.letter !== undefined || onlyMember(next.set) !== undefined;
  return follow.next.every(plain) ? true : "unknown";
}

/** A node that can match at a position on one path only. */
export function isUnambiguous(node: Node): boolean {
  switch (node.kind) {
    case "set":
    case "assertion":
    case "look":
    case "atomic":
    case "newline":
    case "backReference":
      return true;
    case "group":
      return isUnambiguous(node.body);
    case "sequence":
      return node.items.every(isUnambiguous);
    case "choice":
      return node.branches.every(isUnambiguous) && haveDisjointStarts(node.branches);
    case "repeat":
      return (node.min === node.max || node.mode === "possessive") && isUnambiguous(node.body);
    default:
      return false;
  }
}

/** No text begins with two of these branches. */
function haveDisjointStarts(branches: readonly Node[]): boolean {
  const firsts = branches.map((branch) => firstOf(branch, UNKNOWN));
  return firsts.every((first, i) =>
    firsts.slice(i + 1).every((other) => {
      if (!first.known || !other.known) return false;
      return first.next.every((a) => other.next.every((b) => disjoint(a.set, b.set)));
    }),
  );
}
