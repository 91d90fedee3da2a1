import type { Node } from "../ast.js";
import type { CharSet } from "../charset.js";

/** The body of an atomic group, or a possessive repetition as a greedy one; a run over one set stays: nothing takes more steps. */
export function unlocked(node: Node): Node {
  if (node.kind === "atomic") return withFirmEnd(node.body);
  return node.kind === "repeat" && node.body.kind !== "set" ? { ...node, mode: "greedy" } : node;
}

/** A body of an atomic group: the run with which it ends is never given back. */
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

/** The set that a node's last, endless and greedy run takes, so that none of it comes next. */
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
