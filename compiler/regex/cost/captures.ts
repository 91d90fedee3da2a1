import { children, type Node } from "../ast.js";

/**
 * Emptying a capture at the beginning of each round of the loop around it, and keeping the text that it had: 10 to 15 ns, most of
 * them for memory, 8 bytes a round. Within the steps of a search in 64 kB these are 23 MB; V8 gives up at 64.
 */
const EMPTIED = 6;

/** Steps that a round takes for the captures in it; the first one is in the time of the round. */
export function emptyingOf(round: Node): number {
  return Math.max(capturesIn(round) - 1, 0) * EMPTIED;
}

/** A loop in a loop counts for both, so that each node is counted once only. */
const counted = new WeakMap<Node, number>();

/** Captures of a node, and helpers of atomic groups, which the printer makes captures. */
function capturesIn(node: Node): number {
  const inner = children(node);
  if (inner.length === 0) return 0;
  let captures = counted.get(node);
  if (captures === undefined) {
    captures = inner.reduce((total, child) => total + capturesIn(child), isCapture(node) ? 1 : 0);
    counted.set(node, captures);
  }
  return captures;
}

function isCapture(node: Node): boolean {
  if (node.kind === "repeat") return node.mode === "possessive" && node.body.kind !== "set";
  return node.kind === "group" || node.kind === "atomic";
}
