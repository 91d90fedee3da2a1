import type { Node } from "../ast.js";

/** Minimum characters that a match consumes; it may be less than any real match has, never more. */
export function shortestMatch(node: Node): number {
  switch (node.kind) {
    case "set":
    case "newline":
      return 1;
    case "sequence":
      return node.items.reduce((total, item) => total + shortestMatch(item), 0);
    case "choice":
      return Math.min(...node.branches.map(shortestMatch));
    case "group":
    case "atomic":
      return shortestMatch(node.body);
    case "repeat":
      return node.min === 0 ? 0 : node.min * shortestMatch(node.body);
    case "conditional":
      return Math.min(shortestMatch(node.yes), shortestMatch(node.no));
    default:
      return 0;
  }
}
