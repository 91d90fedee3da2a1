import { children, EMPTY, type Node } from "../ast.js";
import { setOf, single } from "../charset.js";
import { LINE_FEED } from "../classes.js";
import { emptiness } from "./empty.js";
import { waysOf } from "./ways.js";

/** A pattern with more counted ways than this has its counted repetitions treated as if they had no limit. */
const MANY_WAYS = 10_000;
/** Counts up to this stay as they are. */
const SMALL_COUNT = 4;

/**
 * The pattern in pure regular terms, for an analysis by automaton: look-arounds are left out, atomic groups are plain
 * groups, back references repeat the text of their group, repetitions that count far have no limit.
 */
export interface Approximation {
  /** The pattern; and for each look-around and atomic group, what stands in front of it and its body. */
  parts: Node[];
  /** False when a part may try more ways than the pattern does. */
  exact: boolean;
}

interface Approximated {
  node: Node;
  inner: Node[];
}

export function approximate(node: Node): Approximation {
  const approximator = new Approximator(countedWays(node) > MANY_WAYS);
  const { node: main, inner } = approximator.of(node);
  return { parts: [main, ...inner], exact: approximator.exact };
}

class Approximator {
  exact: boolean;
  /** Counted repetitions lose their limits. */
  private readonly open: boolean;
  private readonly bodies = new Map<number, Node>();

  constructor(open: boolean) {
    this.open = open;
    this.exact = !open;
  }

  of(part: Node): Approximated {
    switch (part.kind) {
      case "set":
        return { node: part, inner: [] };
      case "assertion":
        return { node: this.ofAssertion(part), inner: [] };
      case "newline":
        return { node: NEWLINE, inner: [] };
      case "group": {
        const body = this.of(part.body);
        this.bodies.set(part.number, body.node);
        return body;
      }
      case "sequence":
        return this.ofSequence(part.items);
      case "choice":
        return this.ofChoice(part.branches);
      case "repeat":
        return this.ofRepeat(part);
      default:
        this.exact = false;
        return this.ofIrregular(part);
    }
  }

  private ofIrregular(
    part: Node & { kind: "atomic" | "look" | "conditional" | "backReference" | "call" },
  ): Approximated {
    if (part.kind === "call") return { node: EMPTY, inner: [] };
    if (part.kind === "backReference") return { node: this.bodies.get(part.group) ?? EMPTY, inner: [] };
    if (part.kind === "conditional") {
      const { node: body, inner } = this.of(part.condition.body);
      const ways = this.ofChoice([part.yes, part.no]);
      return { node: ways.node, inner: [body, ...inner, ...ways.inner] };
    }
    const { node: body, inner } = this.of(part.body);
    return { node: part.kind === "look" ? EMPTY : body, inner: [body, ...inner] };
  }

  private ofSequence(items: readonly Node[]): Approximated {
    const nodes: Node[] = [];
    const inner: Node[] = [];
    for (const item of items) {
      const approximated = this.of(item);
      for (const body of approximated.inner) inner.push({ kind: "sequence", items: [...nodes, body] });
      nodes.push(approximated.node);
    }
    return { node: { kind: "sequence", items: nodes }, inner };
  }

  private ofChoice(branches: readonly Node[]): Approximated {
    const approximated = branches.map((branch) => this.of(branch));
    return {
      node: { kind: "choice", branches: approximated.map((branch) => branch.node) },
      inner: approximated.flatMap((branch) => branch.inner),
    };
  }

  private ofRepeat(part: Node & { kind: "repeat" }): Approximated {
    if (part.mode === "possessive") this.exact = false;
    const { node: body, inner } = this.of(part.body);
    const mode = part.mode === "lazy" ? "lazy" : "greedy";
    const counted = { ...part, body, mode } as const;
    return { node: this.open && part.min + part.max > SMALL_COUNT ? opened(counted) : counted, inner };
  }

  private ofAssertion(part: Node & { kind: "assertion" }): Node {
    switch (part.assertion) {
      case "start":
      case "matchStart":
        return { ...part, assertion: "start" };
      case "end":
      case "finalEnd":
        return { ...part, assertion: "end" };
      case "lineEnd":
        return { kind: "choice", branches: [LINE_END, { ...part, assertion: "end" }] };
      default:
        this.exact = false;
        return EMPTY;
    }
  }
}

/** Without its limit; a body that can be empty makes each round a choice, which the automaton would not see. */
function opened(part: Node & { kind: "repeat" }): Node {
  if (part.min === part.max && waysOf(part.body) === 1) {
    const count = Math.min(part.min, SMALL_COUNT);
    return { ...part, min: count, max: count };
  }
  const { body } = part;
  const twice: Node = { kind: "choice", branches: [body, body] };
  const rounds = part.max === Infinity || emptiness(body) === "never" ? body : twice;
  return { ...part, body: rounds, min: Math.min(part.min, 1), max: Number.POSITIVE_INFINITY };
}

/** Ways of everything that is counted. */
function countedWays(node: Node): number {
  const own = waysOf(node);
  if (own !== Number.POSITIVE_INFINITY) return own;
  const inner = children(node).reduce((product, child) => product * countedWays(child), 1);
  return node.kind === "repeat" && node.max !== Number.POSITIVE_INFINITY ? inner ** node.max : inner;
}

const LINE_END: Node = { kind: "set", set: single(LINE_FEED) };
const NEWLINE: Node = {
  kind: "choice",
  branches: [
    { kind: "sequence", items: [{ kind: "set", set: single(0x0d) }, LINE_END] },
    { kind: "set", set: setOf([[0x0a, 0x0d]]) },
  ],
};
