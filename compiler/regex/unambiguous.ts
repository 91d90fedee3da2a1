import { firstOf, UNKNOWN } from "./analyse/follow.js";
import type { Node } from "./ast.js";
import { disjoint } from "./charset.js";

/** A node that can match at a position on one path only. */
export function isUnambiguous(node: Node): boolean {
  switch (node.kind) {
    case "set":
    case "assertion":
    case "look":
    case "atomic":
    case "newline":
    case "backReference":
      return true;
    case "group":
      return isUnambiguous(node.body);
    case "sequence":
      return node.items.every(isUnambiguous);
    case "choice":
      return node.branches.every(isUnambiguous) && areToldApart(node.branches);
    case "repeat":
      return (node.min === node.max || node.mode === "possessive") && isUnambiguous(node.body);
    default:
      return false;
  }
}

/** No text begins with two of these branches. */
function areToldApart(branches: readonly Node[]): boolean {
  const firsts = branches.map((branch) => firstOf(branch, UNKNOWN));
  return firsts.every((first, i) =>
    firsts.slice(i + 1).every((other) => {
      if (!first.known || !other.known) return false;
      return first.next.every((a) => other.next.every((b) => disjoint(a.set, b.set)));
    }),
  );
}
