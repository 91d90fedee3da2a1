import { EMPTY, type Node, replaceChildren } from "../ast.js";

/**
 * Node as it is matched from its end, in a lookbehind. Without assertions, which would examine the other
 * side, it has more paths, not fewer. Lookarounds in it keep their direction.
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

/** Text that a backreference compares: without assertions and lookarounds. */
export function textOf(node: Node): Node {
  if (node.kind === "assertion" || node.kind === "look") return EMPTY;
  if (node.kind === "conditional") return { kind: "choice", branches: [textOf(node.yes), textOf(node.no)] };
  return replaceChildren(node, textOf);
}
