import { emptiness } from "./analyse/empty.js";
import { children, type Node } from "./ast.js";
import { parseRegex } from "./translate.js";

const AT_ENDS: ReadonlySet<string> = new Set(["start", "end", "finalEnd"]);

/**
 * Whether all that a pattern takes or looks at is ASCII, so that it finds the same over bytes and over characters: there each ASCII
 * byte is itself, and no other is one of them. It may not match the empty text either, which stands between the bytes of a character.
 */
export function findsOnlyAscii(pattern: string, options: string): boolean {
  const node = parseRegex(pattern, options);
  return node !== undefined && isAscii(node) && emptiness(node) === "never";
}

function isAscii(node: Node): boolean {
  switch (node.kind) {
    case "set":
      return isAsciiSet(node);
    case "assertion":
      return AT_ENDS.has(node.assertion);
    case "backReference":
      return !node.caseless;
    case "newline":
    case "call":
      return false;
    default:
      return children(node).every(isAscii);
  }
}

function isAsciiSet({ set: { ranges, properties, negated } }: Node & { kind: "set" }): boolean {
  return !negated && properties.length === 0 && ranges.every(([, to]) => to <= 0x7f);
}
