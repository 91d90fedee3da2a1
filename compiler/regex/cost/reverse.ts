import { EMPTY, type Node, replaceChildren } from "../ast.js";

/**
 * Returns a node as it is matched from its end, in a lookbehind. It has no assertions, which would examine
 * the other side: the result has more paths, not fewer. Lookarounds in it keep their direction.
 */
export function reversed(node: Node): Node {
  switch (node.kind) {
    case "sequence":
      return { ...node, items: node.items.map(reversed).reverse() };
    case "assertion":
      return EMPTY;
    case "look":
      return node;
    case "conditional":
      return { ...node, yes: reversed(node.yes), no: reversed(node.no) };
    default:
      return replaceChildren(node, reversed);
  }
}

/**
 * Returns the text that a backreference compares: what a node matched, without its assertions and
 * lookarounds.
 */
export function textOf(node: Node): Node {
  if (node.kind === "assertion" || node.kind === "look") return EMPTY;
  if (node.kind === "conditional") return { kind: "choice", branches: [textOf(node.yes), textOf(node.no)] };
  return replaceChildren(node, textOf);
}
