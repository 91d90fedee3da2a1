import type { Node } from "../ast.js";

/**
 * How a node may match the empty text, in the order in which a backtracking engine tries its paths. "always":
 * it has no other path; "last": every path that consumes something comes first.
 */
export type Emptiness = "never" | "always" | "last" | "mixed";

export function emptiness(node: Node): Emptiness {
  if (node.kind === "set") return "never";
  let own = known.get(node);
  if (own === undefined) known.set(node, (own = readEmptiness(node)));
  return own;
}

/** Cache by node: the printer and the analyses ask about a part at each level around it. */
const known = new WeakMap<Node, Emptiness>();

function readEmptiness(node: Node): Emptiness {
  switch (node.kind) {
    case "set":
    case "newline":
      return "never";
    case "assertion":
    case "look":
      return "always";
    case "backReference":
    case "call":
      return "last";
    case "group":
      return emptiness(node.body);
    case "atomic": {
      const inner = emptiness(node.body);
      return inner === "mixed" ? "last" : inner;
    }
    case "sequence":
      return ofSequence(node.items.map(emptiness));
    case "choice":
      return ofChoice(node.branches.map(emptiness));
    case "conditional":
      return ofChoice([emptiness(node.yes), emptiness(node.no)]);
    case "repeat":
      return ofRepeat(node);
  }
}

function ofSequence(parts: readonly Emptiness[]): Emptiness {
  if (parts.includes("never")) return "never";
  if (parts.includes("mixed")) return "mixed";
  return parts.includes("last") ? "last" : "always";
}

function ofChoice(branches: readonly Emptiness[]): Emptiness {
  if (branches.every((branch) => branch === "never")) return "never";
  if (branches.every((branch) => branch === "always")) return "always";
  const firstEmpty = branches.findIndex((branch) => branch !== "never");
  if (branches[firstEmpty] === "mixed") return "mixed";
  return branches.slice(firstEmpty + 1).every((branch) => branch === "always") ? "last" : "mixed";
}

function ofRepeat(node: Node & { kind: "repeat" }): Emptiness {
  const inner = emptiness(node.body);
  if (node.max === 0 || inner === "always") return "always";
  if (inner === "never" && node.min > 0) return "never";
  if (node.mode === "possessive") return "last";
  if (inner === "mixed" || node.mode === "lazy")
    return node.max === node.min && inner === "last" ? "last" : "mixed";
  return "last";
}

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
