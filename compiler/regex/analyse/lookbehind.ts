import { children, type Node } from "../ast.js";
import { invalid } from "../fault.js";

const MAX_LOOKBEHIND = 65535;

/**
 * PCRE steps back by a number of characters that it knows beforehand: each branch of a look-behind must have one length.
 * @throws RegexFault at the look-behind that has none
 */
export function checkLookbehinds(node: Node, groups: ReadonlyMap<number, Node>): void {
  if (node.kind === "look" && !node.ahead) {
    const branches = node.body.kind === "choice" ? node.body.branches : [node.body];
    for (const branch of branches) {
      const length = fixedLength(branch, groups, new Set());
      if (length === undefined) throw invalid(125, node.at);
      if (length > MAX_LOOKBEHIND) throw invalid(187, node.at);
    }
  }
  for (const child of children(node)) checkLookbehinds(child, groups);
}

/** Characters that a node always consumes; undefined when that varies. */
function fixedLength(node: Node, groups: ReadonlyMap<number, Node>, open: Set<number>): number | undefined {
  switch (node.kind) {
    case "set":
      return 1;
    case "assertion":
    case "look":
      return 0;
    case "newline":
    case "call":
      return undefined;
    case "group":
    case "atomic":
      return fixedLength(node.body, groups, open);
    case "sequence":
      return sum(node.items.map((item) => fixedLength(item, groups, open)));
    case "choice":
      return same(node.branches.map((branch) => fixedLength(branch, groups, open)));
    case "conditional":
      return same([node.yes, node.no].map((branch) => fixedLength(branch, groups, open)));
    case "repeat": {
      if (node.max !== node.min) return undefined;
      const one = fixedLength(node.body, groups, open);
      return one === undefined ? undefined : one * node.min;
    }
    case "backReference": {
      const target = groups.get(node.group);
      if (target === undefined || open.has(node.group)) return undefined;
      return fixedLength(target, groups, new Set([...open, node.group]));
    }
  }
}

function sum(lengths: readonly (number | undefined)[]): number | undefined {
  let total = 0;
  for (const length of lengths) {
    if (length === undefined) return undefined;
    total += length;
  }
  return total;
}

function same(lengths: readonly (number | undefined)[]): number | undefined {
  return lengths.every((length) => length === lengths[0]) ? lengths[0] : undefined;
}
