import { emptiness } from "../analyse/empty.js";
import { children, type Node } from "../ast.js";
import { type CharSet, complement, LAST_BYTE } from "../charset.js";
import { LINE_FEED } from "../classes.js";

interface Tail {
  round: Node;
  weight: number;
}

/** A match may include or leave the tails, but never gives them back. */
export interface Untailed {
  rest: Node;
  /** Iterations at its end: at each position of a text, one of them is tried once. */
  tails: Tail[];
  /** The rest may be empty: what precedes it is an end, too. */
  isOptional: boolean;
}

const NOTHING: Node = { kind: "sequence", items: [] };

/**
 * A search that reaches the optional end succeeds. What the end consumes belongs to the match, so that no
 * later search examines it again.
 */
export function withoutTail(node: Node): Untailed {
  switch (node.kind) {
    case "sequence":
      return ofSequence(node.items);
    case "choice": {
      const branches = node.branches.map(withoutTail);
      const rest = { ...node, branches: branches.map((branch) => branch.rest) };
      return { rest, tails: branches.flatMap(({ tails }) => tails), isOptional: false };
    }
    case "group":
    case "atomic": {
      const { rest, tails, isOptional } = withoutTail(node.body);
      return { rest: { ...node, body: rest }, tails, isOptional };
    }
    case "repeat":
      return ofRepeat(node);
    default:
      return { rest: node, tails: [], isOptional: false };
  }
}

function ofSequence(items: readonly Node[]): Untailed {
  const tails: Tail[] = [];
  let end = items.length;
  // `.*$` with option m: the run ends at the end of the line.
  const [run, last] = items.slice(-2);
  if (last?.kind === "assertion" && run !== undefined && endsAt(run, last.assertion)) {
    end--;
    tails.push({ round: last, weight: 0 });
  }
  const rest: Node[] = [];
  for (; end > 0; end--) {
    const item = items[end - 1];
    const found = withoutTail(item ?? NOTHING);
    tails.push(...found.tails);
    rest.unshift(found.rest);
    if (!found.isOptional) break;
  }
  const kept = [...items.slice(0, Math.max(end - 1, 0)), ...rest];
  return { rest: { kind: "sequence", items: kept }, tails, isOptional: end === 0 };
}

function ofRepeat(node: Node & { kind: "repeat" }): Untailed {
  const { body, min, max, mode } = node;
  const rest = { ...node, max: min };
  const isOptional = min === 0;
  if (mode === "lazy" || max === min) return { rest, tails: [], isOptional };
  // Its characters are in the match: each is examined once more.
  if (body.kind === "set") return { rest, tails: [{ round: NOTHING, weight: 0 }], isOptional };
  // Iterations that may be empty are tried again at the same position.
  if (max > 1 && emptiness(body) !== "never") return { rest: node, tails: [], isOptional: false };
  const round = withoutTail(body);
  return { rest, tails: [{ round: round.rest, weight: emptyingOf(body) }, ...round.tails], isOptional };
}

function endsAt(node: Node, assertion: string): boolean {
  if (node.kind === "group") return endsAt(node.body, assertion);
  if (node.kind !== "repeat" || node.mode === "lazy" || node.max !== Number.POSITIVE_INFINITY) return false;
  if (node.body.kind !== "set") return false;
  const lacks = lacking(node.body.set);
  if (lacks === undefined) return false;
  return lacks.length === 0
    ? assertion.endsWith("nd")
    : assertion === "lineEnd" && lacks.every(([from, to]) => from === LINE_FEED && to === LINE_FEED);
}

/** Bytes outside of a set. @returns undefined if unknown */
function lacking({ ranges, properties }: CharSet): readonly (readonly [number, number])[] | undefined {
  return properties.length > 0 ? undefined : complement(ranges, LAST_BYTE);
}

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
