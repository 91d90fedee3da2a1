import { children, type Node } from "../ast.js";

/** An upper bound for the ways in which a node can match at one place; Infinity when only the text bounds it. */
export function waysOf(node: Node): number {
  switch (node.kind) {
    case "choice":
      return node.branches.reduce((total, branch) => total + waysOf(branch), 0);
    case "repeat":
      if (node.max === Infinity) return Infinity;
      return (node.max - node.min + 1) * waysOf(node.body) ** node.max;
    case "newline":
      return 2;
    default:
      return children(node).reduce((product, child) => product * waysOf(child), 1);
  }
}
