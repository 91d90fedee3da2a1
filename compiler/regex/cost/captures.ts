import { children, type Node } from "../ast.js";

/**
 * Steps to clear a capture at the start of each iteration and to save its text: 10 to 15 ns, mostly for
 * memory, 8 bytes an iteration. Within the step limit of a search in 64 kB that is 23 MB; V8 gives up at 64.
 */
const EMPTIED = 6;

/** The first capture of an iteration is included in the time of the iteration. */
export function emptyingOf(round: Node): number {
  return Math.max(capturesIn(round) - 1, 0) * EMPTIED;
}

/** Captures of nested loops count for each loop: each node is counted only once. */
const counted = new WeakMap<Node, number>();

/** Includes helpers of atomic groups, which the printer makes captures. */
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
