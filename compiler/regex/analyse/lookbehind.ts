import { children, type Node } from "../ast.js";
import { invalid } from "../fault.js";

const MAX_LOOKBEHIND = 65535;

interface Groups {
  bodies: ReadonlyMap<number, Node>;
  /** The pattern uses `(?|`. */
  branchReset: boolean;
}

/**
 * PCRE steps back by a number of characters that it knows beforehand: each branch of a look-behind must have one length.
 * @throws RegexFault at the look-behind that has none
 */
export function checkLookbehinds(node: Node, groups: Groups): void {
  if (node.kind === "look" && !node.ahead) checkLookbehind(node, groups, new Set());
  for (const child of children(node)) checkLookbehinds(child, groups);
}

function checkLookbehind(
  { body, at }: Node & { kind: "look" },
  groups: Groups,
  open: ReadonlySet<number>,
): void {
  for (const branch of body.kind === "choice" ? body.branches : [body]) {
    const length = fixedLength(branch, groups, open);
    if (length === undefined) throw invalid(125, at);
    if (length > MAX_LOOKBEHIND) throw invalid(187, at);
  }
}

/** Characters that a node always consumes; undefined when that varies. */
function fixedLength(node: Node, groups: Groups, open: ReadonlySet<number>): number | undefined {
  switch (node.kind) {
    case "set":
      return 1;
    case "assertion":
      return 0;
    case "look":
      if (!node.ahead) checkLookbehind(node, groups, open);
      return 0;
    case "newline":
      return undefined;
    case "group":
    case "atomic":
      return fixedLength(node.body, groups, open);
    case "sequence":
      return sum(node.items, (item) => fixedLength(item, groups, open));
    case "choice":
      return same(node.branches.map((branch) => fixedLength(branch, groups, open)));
    case "conditional":
      return same(
        (node.alone ? [node.yes] : [node.yes, node.no]).map((branch) => fixedLength(branch, groups, open)),
      );
    case "repeat": {
      if (node.body.kind === "look" && node.body.ahead) return 0;
      if (node.max === 0) return 0;
      const one = fixedLength(node.body, groups, open);
      return one === undefined || node.max !== node.min ? undefined : one * node.min;
    }
    case "backReference":
    case "call": {
      const target = groups.bodies.get(node.group);
      if (node.kind === "backReference" && groups.branchReset) return undefined;
      if (target === undefined) throw invalid(115, node.at);
      if (open.has(node.group)) return undefined;
      return fixedLength(target, groups, new Set([...open, node.group]));
    }
  }
}

/** Stops at the first item that has no fixed length, as PCRE2 does: a later one may have a fault of its own. */
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
