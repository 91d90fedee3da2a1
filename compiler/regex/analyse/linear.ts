import type { Node } from "../ast.js";
import { type CharSet, disjoint } from "../charset.js";
import { waysOf } from "./ways.js";

/** Counted repetitions up to this many ways cost less than asking the analyser. */
const FEW_WAYS = 64;

/**
 * A quick proof that the time of a pattern grows no faster than the text; false means nothing. It holds for sequences of
 * sets, plain groups and simple repetitions where each repetition is told apart from what follows (the last one need not
 * be after `^`), and where no second attempt can run through the same stretch: the pattern begins with `^` or a character
 * that no repetition matches.
 */
export function isPlainlyLinear(node: Node): boolean {
  const items = flatten(node);
  if (items === undefined) return waysOf(node) <= FEW_WAYS;
  const open = items.flatMap((item, i) => (isOpen(item) ? [i] : []));
  const blurred = open.filter((i) => !isToldApart(items, i));
  /* After the last repetition only a fixed text is tried at each place where it can end. */
  if (blurred.length > 0 && !(startsAnchored(items) && blurred[0] === open[open.length - 1])) return false;
  const finite = items.filter((item) => !isOpen(item)).reduce((product, item) => product * waysOf(item), 1);
  if (finite > FEW_WAYS) return false;
  if (open.length === 0 || startsAnchored(items)) return true;
  if (open.length === 1 && open[0] === items.length - 1) return true;
  const first = items[0];
  if (first === undefined || first.kind !== "set") return false;
  return open.every((i) => {
    const set = repeatedSet(items[i]);
    return set !== undefined && disjoint(first.set, set);
  });
}

/** The pattern as one flat row of items; undefined when an unlimited repetition stands inside a choice or repetition. */
function flatten(node: Node): Node[] | undefined {
  switch (node.kind) {
    case "sequence": {
      const rows = node.items.map(flatten);
      return rows.every((row) => row !== undefined) ? rows.flat() : undefined;
    }
    case "group":
      return flatten(node.body);
    case "repeat":
      if (isOpen(node)) return node.body.kind === "set" ? [node] : undefined;
      return waysOf(node) === Infinity ? undefined : [node];
    default:
      return waysOf(node) === Infinity ? undefined : [node];
  }
}

function isOpen(node: Node): boolean {
  return node.kind === "repeat" && node.max === Infinity;
}

function repeatedSet(node: Node | undefined): CharSet | undefined {
  return node?.kind === "repeat" && node.body.kind === "set" ? node.body.set : undefined;
}

/** The item after the repetition is a character that it cannot match, or there is none. */
function isToldApart(items: readonly Node[], i: number): boolean {
  const set = repeatedSet(items[i]);
  const next = items[i + 1];
  if (next === undefined) return true;
  if (set === undefined) return false;
  if (next.kind === "assertion" && i + 2 === items.length)
    return /^(?:end|finalEnd|lineEnd)$/.test(next.assertion);
  const following =
    next.kind === "set" ? next.set : next.kind === "repeat" && next.min > 0 ? repeatedSet(next) : undefined;
  return following !== undefined && disjoint(set, following);
}

function startsAnchored(items: readonly Node[]): boolean {
  const first = items[0];
  return first?.kind === "assertion" && first.assertion === "start";
}
