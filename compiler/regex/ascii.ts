import { emptiness } from "./analyse/empty.js";
import { children, type Node } from "./ast.js";
import { parseRegex } from "./translate.js";

const AT_ENDS: ReadonlySet<string> = new Set(["start", "end", "finalEnd"]);

/**
 * If a pattern consumes and examines only ASCII, matches over bytes and over characters are the same, since
 * an ASCII byte never belongs to another character. An empty match would also be between the bytes of one.
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
