import { type Assertion, groupBodies, type Node } from "../ast.js";

/**
 * Part of a text that one match can depend on, in characters (bytes without option `u`), as printed. No path
 * through it looks further, even if the engine abandons it.
 */
export interface Reach {
  /** Maximum characters; Infinity without a limit. */
  consumes: number;
  /** Furthest character examined, counted from the start of the match; the end of the text counts as one. */
  ahead: number;
  /** Furthest character examined in front of the match; the beginning of the text counts as one. */
  behind: number;
}

const NOTHING: Reach = { consumes: 0, ahead: 0, behind: 0 };

/** Reach of each assertion as printed: `$` is `(?=\n?$)`, `^` with option `m` examines the end too. */
const ASSERTIONS: Readonly<Record<Assertion, Reach>> = {
  start: { consumes: 0, ahead: 0, behind: 1 },
  matchStart: { consumes: 0, ahead: 0, behind: 1 },
  end: { consumes: 0, ahead: 1, behind: 0 },
  finalEnd: { consumes: 0, ahead: 2, behind: 0 },
  lineStart: { consumes: 0, ahead: 1, behind: 1 },
  lineEnd: { consumes: 0, ahead: 1, behind: 0 },
  wordBoundary: { consumes: 0, ahead: 1, behind: 1 },
  notWordBoundary: { consumes: 0, ahead: 1, behind: 1 },
  wordStart: { consumes: 0, ahead: 1, behind: 1 },
  wordEnd: { consumes: 0, ahead: 1, behind: 1 },
};

/** Structural maximum: it may exceed what any text needs, but is never smaller. */
export function reachOf(node: Node): Reach {
  return new Measure(groupBodies(node)).reach(node);
}

class Measure {
  readonly #groups: ReadonlyMap<number, Node>;
  /** Characters that a reference to each group consumes. `#open`: the groups being measured. */
  readonly #consumed = new Map<number, number>();
  readonly #open = new Set<number>();

  constructor(groups: ReadonlyMap<number, Node>) {
    this.#groups = groups;
  }

  reach(node: Node): Reach {
    switch (node.kind) {
      case "set":
        return { consumes: 1, ahead: 1, behind: 0 };
      case "newline":
        return { consumes: 2, ahead: 2, behind: 0 };
      case "assertion":
        return ASSERTIONS[node.assertion];
      case "sequence":
        return node.items.map((item) => this.reach(item)).reduce(after, NOTHING);
      case "choice":
        return node.branches.map((branch) => this.reach(branch)).reduce(either, NOTHING);
      case "group":
        return this.#group(node);
      case "atomic":
        return this.#atomic(node.body);
      case "repeat":
        return roundsOf(node, node.max === 0 ? NOTHING : this.reach(node.body));
      case "look":
        return this.#look(node);
      case "conditional": {
        const condition = this.#look(node.condition);
        return either(after(condition, this.reach(node.yes)), after(condition, this.reach(node.no)));
      }
      case "backReference":
        return this.#reference(node.group);
      case "call":
        return { consumes: Infinity, ahead: Infinity, behind: 0 };
    }
  }

  #group(node: Node & { kind: "group" }): Reach {
    if (this.#open.has(node.number)) return this.reach(node.body);
    this.#open.add(node.number);
    const inner = this.reach(node.body);
    this.#open.delete(node.number);
    return inner;
  }

  /** A body without backtracking is printed with a lookahead at what it consumes, or at one more iteration. */
  #atomic(body: Node): Reach {
    if (body.kind !== "repeat") return this.reach(body);
    const round = this.reach(body.body);
    const inner = roundsOf(body, round);
    return { ...inner, ahead: inner.ahead + round.ahead };
  }

  #look({ body, ahead }: Node & { kind: "look" }): Reach {
    const inner = this.reach(body);
    return ahead
      ? { consumes: 0, ahead: inner.ahead, behind: inner.behind }
      : { consumes: 0, ahead: inner.ahead, behind: inner.consumes + inner.behind };
  }

  #reference(group: number): Reach {
    const body = this.#groups.get(group);
    if (body === undefined) return NOTHING;
    if (this.#open.has(group)) return { consumes: Infinity, ahead: Infinity, behind: 0 };
    let consumes = this.#consumed.get(group);
    if (consumes === undefined) {
      this.#open.add(group);
      consumes = this.reach(body).consumes;
      this.#open.delete(group);
      this.#consumed.set(group, consumes);
    }
    return { consumes, ahead: consumes, behind: 0 };
  }
}

function roundsOf({ body, max, min, mode }: Node & { kind: "repeat" }, round: Reach): Reach {
  if (max === 0) return NOTHING;
  // Zero times Infinity is NaN.
  const before = round.consumes === 0 || max === 1 ? 0 : round.consumes * (max - 1);
  const rounds = {
    consumes: before + round.consumes,
    ahead: before + round.ahead,
    behind: round.behind,
  };
  // A possessive repetition is printed with a look at one more iteration; PCRE2 makes some plain ones
  // possessive (follow.ts).
  const made = min !== max && (body.kind === "newline" || (body.kind === "set" && body.letter !== undefined));
  const plain = mode !== "possessive" && !made;
  return plain ? rounds : { ...rounds, ahead: rounds.ahead + round.ahead };
}

function after(before: Reach, next: Reach): Reach {
  return {
    consumes: before.consumes + next.consumes,
    ahead: Math.max(before.ahead, before.consumes + next.ahead),
    behind: Math.max(before.behind, next.behind),
  };
}

function either(a: Reach, b: Reach): Reach {
  return {
    consumes: Math.max(a.consumes, b.consumes),
    ahead: Math.max(a.ahead, b.ahead),
    behind: Math.max(a.behind, b.behind),
  };
}
