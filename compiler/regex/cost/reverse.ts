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

/** What a back reference compares: the text that a node matched, without what was asked about the place where it did. */
export function textOf(node: Node): Node {
  if (node.kind === "assertion" || node.kind === "look") return EMPTY;
  if (node.kind === "conditional") return { kind: "choice", branches: [textOf(node.yes), textOf(node.no)] };
  return replaceChildren(node, textOf);
}
