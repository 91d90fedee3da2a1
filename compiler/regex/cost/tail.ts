import { emptiness } from "../analyse/empty.js";
import type { Node } from "../ast.js";
import { type CharSet, complement, LAST_BYTE } from "../charset.js";
import { LINE_FEED } from "../classes.js";
import { emptyingOf } from "./captures.js";

/** A round of a repetition, and the steps that it takes besides those of its body. */
export interface Tail {
  round: Node;
  weight: number;
}

/** A pattern without what can only be matched or left, never be given back. */
export interface Untailed {
  rest: Node;
  /** Rounds of repetitions at its end: each place of a text is tried for one of them once. */
  tails: Tail[];
  /** The rest of it may be nothing, so that what stands in front of it is an end, too. */
  isOptional: boolean;
}

const NOTHING: Node = { kind: "sequence", items: [] };

/**
 * Takes off the end of a pattern what a match may have or not: once a search is there it succeeds, and whatever it finds belongs
 * to the match, so that no later search goes over it again.
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
  // `.*$` with option m: the run ends where the line does.
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
  // Its characters are in the match: each is looked at once more.
  if (body.kind === "set") return { rest, tails: [{ round: NOTHING, weight: 0 }], isOptional };
  // Rounds that may be empty are tried again where they are.
  if (max > 1 && emptiness(body) !== "never") return { rest: node, tails: [], isOptional: false };
  const round = withoutTail(body);
  return { rest, tails: [{ round: round.rest, weight: emptyingOf(body) }, ...round.tails], isOptional };
}

/** Reports that a greedy run stops at such an end only. */
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

/** Bytes that a set does not have; undefined if that is not known. */
function lacking({ ranges, properties }: CharSet): readonly (readonly [number, number])[] | undefined {
  return properties.length > 0 ? undefined : complement(ranges, LAST_BYTE);
}
