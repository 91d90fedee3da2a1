import type { CharSet } from "./charset.js";

/** Parsed PCRE pattern with options applied: nothing below depends on `i m s x` any more. */
export type Node =
  /** A literal is a set of one character (two with option `i`). `letter`: `S` for `\S`, `.` for a dot. */
  | { kind: "set"; set: CharSet; letter?: string }
  | { kind: "sequence"; items: readonly Node[] }
  | { kind: "choice"; branches: readonly Node[] }
  | { kind: "group"; number: number; body: Node }
  | { kind: "atomic"; body: Node; at: number }
  | { kind: "look"; ahead: boolean; negative: boolean; body: Node; at: number }
  /** `max` is Infinity without an upper limit. */
  | { kind: "repeat"; body: Node; min: number; max: number; mode: RepeatMode; at: number }
  | { kind: "backReference"; group: number; caseless: boolean; at: number }
  /** `(?1)`, replaced once the whole pattern is read. */
  | { kind: "call"; group: number; at: number }
  | { kind: "assertion"; assertion: Assertion; at: number }
  /** `\R` */
  | { kind: "newline" }
  /** `(?(?=...)yes|no)`; `condition` is a lookaround; `alone`: the pattern has only `yes`. */
  | {
      kind: "conditional";
      condition: Node & { kind: "look" };
      yes: Node;
      no: Node;
      alone: boolean;
      at: number;
    };

type RepeatMode = "greedy" | "lazy" | "possessive";

/**
 * finalEnd `$ \Z` (also before a final newline); lineStart and lineEnd are `^ $` with option `m`; matchStart
 * `\G`.
 */
export type Assertion =
  | "start"
  | "end"
  | "finalEnd"
  | "lineStart"
  | "lineEnd"
  | "matchStart"
  | "wordBoundary"
  | "notWordBoundary"
  | "wordStart"
  | "wordEnd";

export const EMPTY: Node = { kind: "sequence", items: [] };

export function children(node: Node): readonly Node[] {
  switch (node.kind) {
    case "sequence":
      return node.items;
    case "choice":
      return node.branches;
    case "group":
    case "atomic":
    case "look":
    case "repeat":
      return [node.body];
    case "conditional":
      return [node.condition, node.yes, node.no];
    default:
      return [];
  }
}

export function replaceChildren(node: Node, replace: (child: Node) => Node): Node {
  switch (node.kind) {
    case "sequence":
      return { ...node, items: node.items.map(replace) };
    case "choice":
      return { ...node, branches: node.branches.map(replace) };
    case "group":
    case "atomic":
    case "look":
    case "repeat":
      return { ...node, body: replace(node.body) };
    case "conditional": {
      const body = replace(node.condition.body);
      return {
        ...node,
        condition: { ...node.condition, body },
        yes: replace(node.yes),
        no: replace(node.no),
      };
    }
    default:
      return node;
  }
}

export function groupsIn(node: Node): number[] {
  return groups(node).map(({ number }) => number);
}

export function groupBodies(node: Node): Map<number, Node> {
  return new Map(groups(node).map(({ number, body }) => [number, body]));
}

/** In the order of their opening parentheses; nested lists would cost the square of the depth. */
function groups(node: Node, found: (Node & { kind: "group" })[] = []): (Node & { kind: "group" })[] {
  if (node.kind === "group") found.push(node);
  for (const child of children(node)) groups(child, found);
  return found;
}

/** Groups that back references below a node name. */
export function referenced(node: Node): number[] {
  if (node.kind === "backReference") return [node.group];
  return children(node).flatMap(referenced);
}
