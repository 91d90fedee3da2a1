import { EMPTY, type Node, replaceChildren } from "../ast.js";
import type { CharSet } from "../charset.js";

/** A possessive repetition becomes greedy. A run over one set is unchanged: it takes the most steps already. */
export function unlocked(node: Node): Node {
  if (node.kind === "atomic") return withFirmEnd(node.body);
  return node.kind === "repeat" && node.body.kind !== "set" ? { ...node, mode: "greedy" } : node;
}

/** An atomic group never gives back the final run of its body, which becomes possessive. */
function withFirmEnd(node: Node): Node {
  switch (node.kind) {
    case "group":
    case "atomic":
      return { ...node, body: withFirmEnd(node.body) };
    case "choice":
      return { ...node, branches: node.branches.map(withFirmEnd) };
    case "sequence": {
      const last = node.items.at(-1);
      return last === undefined ? node : { ...node, items: [...node.items.slice(0, -1), withFirmEnd(last)] };
    }
    case "repeat":
      return lastRun(node) === undefined ? node : { ...node, mode: "possessive" };
    default:
      return node;
  }
}

/** Set of a node's final, unlimited and greedy run. None of its characters follows the run. */
export function lastRun(node: Node): CharSet | undefined {
  switch (node.kind) {
    case "group":
    case "atomic":
      return lastRun(node.body);
    case "sequence": {
      const last = node.items.at(-1);
      return last === undefined ? undefined : lastRun(last);
    }
    case "repeat":
      return node.body.kind === "set" && node.max === Number.POSITIVE_INFINITY && node.mode !== "lazy"
        ? node.body.set
        : undefined;
    default:
      return undefined;
  }
}

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
