import type { Node } from "../ast.js";
import { type CharSet, disjoint, onlyMember, setOf } from "../charset.js";

/** What can come next: one of these, or the end of the pattern. Undefined: it cannot be told. */
export type Follow = { next: readonly Next[]; end: boolean } | undefined;

interface Next {
  set: CharSet;
  /** `S` when the next item is `\S`, `R` for `\R`... */
  letter?: string;
}

export const ACCEPT: Follow = { next: [], end: true };

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
      return { next: [node], end: false };
    case "newline":
      return { next: [{ set: NEWLINES, letter: "R" }], end: false };
    case "group":
    case "atomic":
      return firstOf(node.body, follow);
    case "sequence":
      return [...node.items].reverse().reduce((next, item) => firstOf(item, next), follow);
    case "choice":
      return node.branches.map((branch) => firstOf(branch, follow)).reduce(merge);
    case "repeat": {
      if (node.max === 0) return follow;
      const inner = firstOf(node.body, node.max > 1 ? undefined : follow);
      return node.min > 0 ? inner : merge(inner, follow);
    }
    default:
      return undefined;
  }
}

function merge(a: Follow, b: Follow): Follow {
  if (a === undefined || b === undefined) return undefined;
  return { next: [...a.next, ...b.next], end: a.end || b.end };
}

/** A greedy repetition of a set that what follows cannot begin with never profits from giving back. */
export function neverGivesBack(node: Node, follow: Follow): boolean {
  if (node.kind !== "repeat" || node.mode !== "greedy" || node.body.kind !== "set" || follow === undefined)
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
 * compares with a class.
 */
export function isMadePossessive(node: Node & { kind: "repeat" }, follow: Follow): boolean | "unknown" {
  if (node.max === node.min || follow === undefined) return false;
  const [repeated] =
    node.body.kind === "set" || node.body.kind === "newline" ? (firstOf(node.body, ACCEPT)?.next ?? []) : [];
  if (repeated === undefined) return false;
  const { set, letter = "" } = repeated;
  const partners = TAKEN_FOR_DISJOINT[letter] ?? "";
  const apart = (next: Next) => next.letter !== undefined && partners.includes(next.letter);
  if (!follow.next.some(apart)) return false;
  if (!follow.next.every((next) => apart(next) || disjoint(set, next.set))) return false;
  const plain = (next: Next) => next.letter !== undefined || onlyMember(next.set) !== undefined;
  return follow.next.every(plain) ? true : "unknown";
}
