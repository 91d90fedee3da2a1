import { children, type Node } from "../ast.js";
import { invalid } from "../regex-error.js";

const MAX_LOOKBEHIND = 65535;

interface Groups {
  bodies: ReadonlyMap<number, Node>;
  /** The pattern uses `(?|`. */
  branchReset: boolean;
}

/** Length of each referenced group: without it, `(a)(\1\1)(\2\2)…` asks for twice as many with each group. */
interface Lengths extends Groups {
  known: Map<number, number | undefined>;
  open: Set<number>;
}

/**
 * PCRE steps back by a known number of characters, so each branch of a lookbehind needs a fixed length.
 * @throws RegexError at the lookbehind without one
 */
export function checkLookbehinds(node: Node, groups: Groups): void {
  checkAll(node, { ...groups, known: new Map(), open: new Set() });
}

function checkAll(node: Node, lengths: Lengths): void {
  if (node.kind === "look" && !node.ahead) checkLookbehind(node, lengths);
  for (const child of children(node)) checkAll(child, lengths);
}

function checkLookbehind({ body, at }: Node & { kind: "look" }, lengths: Lengths): void {
  for (const branch of body.kind === "choice" ? body.branches : [body]) {
    const length = fixedLength(branch, lengths);
    if (length === undefined) throw invalid(125, at);
    if (length > MAX_LOOKBEHIND) throw invalid(187, at);
  }
}

/** @returns undefined if the number of characters varies */
function fixedLength(node: Node, lengths: Lengths): number | undefined {
  switch (node.kind) {
    case "set":
      return 1;
    case "assertion":
      return 0;
    case "look":
      if (!node.ahead) checkLookbehind(node, lengths);
      return 0;
    case "newline":
      return undefined;
    case "group":
    case "atomic":
      return fixedLength(node.body, lengths);
    case "sequence":
      return sum(node.items, (item) => fixedLength(item, lengths));
    case "choice":
      return same(node.branches.map((branch) => fixedLength(branch, lengths)));
    case "conditional":
      return same(
        (node.alone ? [node.yes] : [node.yes, node.no]).map((branch) => fixedLength(branch, lengths)),
      );
    case "repeat": {
      if (node.body.kind === "look" && node.body.ahead) return 0;
      if (node.max === 0) return 0;
      const one = fixedLength(node.body, lengths);
      return one === undefined || node.max !== node.min ? undefined : one * node.min;
    }
    case "backReference":
    case "call":
      return lengthOfReferred(node, lengths);
  }
}

function lengthOfReferred(
  { kind, group, at }: Node & { kind: "backReference" | "call" },
  lengths: Lengths,
): number | undefined {
  const { bodies, branchReset, known, open } = lengths;
  const target = bodies.get(group);
  if (kind === "backReference" && branchReset) return undefined;
  if (target === undefined) throw invalid(115, at);
  if (open.has(group)) return undefined;
  if (!known.has(group)) {
    open.add(group);
    known.set(group, fixedLength(target, lengths));
    open.delete(group);
  }
  return known.get(group);
}

/** Stops at the first item without a fixed length, as PCRE2 does: a later one may have a fault of its own. */
function sum(items: readonly Node[], lengthOf: (item: Node) => number | undefined): number | undefined {
  let total = 0;
  for (const item of items) {
    const length = lengthOf(item);
    if (length === undefined) return undefined;
    total += length;
  }
  return total;
}

function same(lengths: readonly (number | undefined)[]): number | undefined {
  return lengths.every((length) => length === lengths[0]) ? lengths[0] : undefined;
}
