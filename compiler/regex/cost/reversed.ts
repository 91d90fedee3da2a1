import { EMPTY, type Node, replaceChildren } from "../ast.js";

/**
 * A node as it is matched from its end, in a look-behind. Assertions ask about the other side then, so they are left out: without
 * them there are more ways, not fewer. Look-arounds in it keep their own direction.
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
