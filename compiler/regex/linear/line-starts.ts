import { emptiness } from "../analyse/empty.js";
import { type Node, replaceChildren } from "../ast.js";
import { single } from "../charset.js";
import { LINE_FEED } from "../classes.js";

/** For an engine that has one more line behind a final line feed. */
export interface LineStarts {
  /** Each only occurs at the start of a match. */
  first: ReadonlySet<Node>;
  /** Every empty match goes through one of them: one at the end of a text does not count. */
  notAtEnd: boolean;
}

const NONE: LineStarts = { first: new Set(), notAtEnd: false };
const ONE: Node = { kind: "set", set: single(LINE_FEED) };

/** Finds each `^` (option `m`) that only occurs at the start of a match. */
export function lineStarts(node: Node): LineStarts {
  const first = new Set<Node>();
  const without = withoutFirst(node, first);
  // "^|$" has another path to an empty match at the end.
  return first.size > 0 && emptiness(without) === "never" ? { first, notAtEnd: true } : NONE;
}

/** A character replaces each first `^`. */
function withoutFirst(node: Node, found: Set<Node>): Node {
  const replaced = (part: Node) => withoutFirst(part, found);
  switch (node.kind) {
    case "assertion":
      if (node.assertion !== "lineStart") return node;
      found.add(node);
      return ONE;
    case "sequence": {
      const [begin, ...rest] = node.items;
      return begin === undefined ? node : { ...node, items: [replaced(begin), ...rest] };
    }
    case "choice":
    case "group":
    case "atomic":
      return replaceChildren(node, replaced);
    case "repeat":
      return node.max === 1 ? replaceChildren(node, replaced) : node;
    default:
      return node;
  }
}
