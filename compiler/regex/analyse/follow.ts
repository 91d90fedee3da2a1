import type { Node } from "../ast.js";
import { type CharSet, disjoint, onlyMember, setOf } from "../charset.js";
import { emptiness } from "./empty.js";

/** What can come next. */
export interface Follow {
  next: readonly Next[];
  /** The end of the pattern is among it. */
  end: boolean;
  /** False when something else can come too, for example a look-around. */
  known: boolean;
  /** Beginnings of a group that PCRE2 believes to be all that can come, though the group can be empty; see `isMadePossessive`. */
  doubtful: readonly Next[];
}

interface Next {
  set: CharSet;
  /** `S` when the next item is `\S`, `R` for `\R`... */
  letter?: string;
}

const NOTHING: Follow = { next: [], end: false, known: true, doubtful: [] };
export const ACCEPT: Follow = { ...NOTHING, end: true };
export const UNKNOWN: Follow = { ...NOTHING, known: false };

/** Characters that `\R` can begin with. */
const NEWLINES = setOf([
  [0x0a, 0x0d],
  [0x85, 0x85],
  [0x2028, 0x2029],
]);

/** What a node and what follows it can begin with. */
export function firstOf(node: Node, follow: Follow): Follow {
  switch (node.kind) {
    case "set":
      return { ...NOTHING, next: [node] };
    case "newline":
      return { ...NOTHING, next: [{ set: NEWLINES, letter: "R" }] };
    case "group":
      return firstOf(node.body, follow);
    case "atomic":
      return emptiness(node.body) === "never"
        ? firstOf(node.body, follow)
        : doubted(firstOf(node.body, follow), node.body);
    case "sequence":
      return [...node.items].reverse().reduce((next, item) => firstOf(item, next), follow);
    case "choice":
      return node.branches.map((branch) => firstOf(branch, follow)).reduce(merge);
    case "repeat":
      return firstOfRepeat(node, follow);
    default:
      return UNKNOWN;
  }
}

function firstOfRepeat(node: Node & { kind: "repeat" }, follow: Follow): Follow {
  if (node.max === 0) return follow;
  const inner = firstOf(node.body, node.max > 1 ? UNKNOWN : follow);
  if (node.min > 0) return inner;
  const both = merge(inner, follow);
  const single = node.body.kind === "set" || node.body.kind === "newline";
  return node.mode === "possessive" && !single ? doubted(both, node.body) : both;
}

function doubted(follow: Follow, body: Node): Follow {
  return { ...follow, doubtful: [...follow.doubtful, ...firstOf(body, NOTHING).next] };
}

function merge(a: Follow, b: Follow): Follow {
  return {
    next: [...a.next, ...b.next],
    end: a.end || b.end,
    known: a.known && b.known,
    doubtful: [...a.doubtful, ...b.doubtful],
  };
}

/** A greedy repetition of a set that what follows cannot begin with never profits from giving back. */
export function neverGivesBack(node: Node, follow: Follow): boolean {
  if (node.kind !== "repeat" || node.mode !== "greedy" || node.body.kind !== "set" || !follow.known)
    return false;
  const { set } = node.body;
  return follow.next.every((next) => disjoint(set, next.set));
}

/**
 * Pairs that PCRE2 10.42 takes for disjoint though they share a character, so that it makes the repetition possessive:
 * `.*\R` does not match "a\r", nor `\S*\h` "a\xa0" there. A dot shares line ends with `\R`, `\S` 85 and A0 with the others.
 */
const TAKEN_FOR_DISJOINT: Readonly<Record<string, string>> = { ".": "R", S: "Rhv", h: "S", v: "S", R: ".s" };

/**
 * Whether PCRE2 makes a repetition possessive that could profit from giving back. "unknown" where that depends on how it
 * compares with a class, or where it forgets that a group can be empty: `a*(?:b)?+a` does not match "aa" there, nor
 * `a*(?>b||c)a`.
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
