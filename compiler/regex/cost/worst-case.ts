import type { Node } from "../ast.js";
import { type Automaton, automatonOf } from "./automaton.js";
import { factorOf } from "./factor.js";
import { type Growth, growthOf, type Pump } from "./growth.js";
import { type Part, sizeOf } from "./part.js";
import { TooLarge } from "./positions.js";
import { regularParts } from "./regular.js";
import { type Budget, OutOfSteps } from "./search.js";

/** A text made to slow a pattern down: `before` once, `pump` as often as there is room, for each of `pumps`, then `end`. */
export interface Attack {
  pumps: readonly { before: string; pump: string }[];
  end: string;
}

/**
 * How the steps of a search can grow with a text of n characters: at most `factor` times the ways to put `power` marks
 * among them, about n^power / power!; power Infinity is exponential. "unknown": the analysis gave up, so everything is possible.
 */
export type Bound =
  | { kind: "bounded"; power: number; factor: number; attack: Attack | undefined }
  | { kind: "unknown"; reason: string };

/** A pattern's bounds: each part of it (look-arounds are parts of their own) by each way to count. */
export interface WorstCase {
  /** The steps of a search are the sum over the parts of the smallest of their bounds. */
  parts: readonly (readonly Bound[])[];
  /** Steps that the analysis took. */
  taken: number;
}

/** Steps for one pattern: 0.3 s of a busy machine. */
export const PATTERN_STEPS = 1_000_000;
/** Places and links of an automaton that are made in the time of a step. */
const WORK_PER_STEP = 8;
/** Steps for a part that turned out too large on the way. */
const TOO_LARGE_STEPS = 50_000;
/** A pattern larger than this is not looked at. */
const MAX_SIZE = 100_000;

/** Finds how a backtracking search can grow; gives up after `steps`. */
export function worstCaseOf(node: Node, steps = PATTERN_STEPS): WorstCase {
  const budget: Budget = { left: steps };
  const parts = regularParts(node).map((part): Bound[] => {
    const closed = boundOf(part, false, budget);
    if (closed.kind === "bounded" && closed.power <= 1 && closed.factor <= FEW) return [closed];
    return hasCounts(part) ? [closed, boundOf(part, true, budget)] : [closed];
  });
  return { parts, taken: steps - Math.max(budget.left, 0) };
}

/** Steps a character that need no second look. */
const FEW = 100;

/** Most steps of a search in a text of `length` characters; Infinity where only a power of two bounds it, or nothing. */
export function stepsFor({ parts }: WorstCase, length: number): number {
  return parts.reduce(
    (total, bounds) => total + Math.min(...bounds.map((bound) => stepsOf(bound, length))),
    0,
  );
}

function stepsOf(bound: Bound, length: number): number {
  if (bound.kind === "unknown") return Number.POSITIVE_INFINITY;
  const { power, factor } = bound;
  if (power === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  let steps = factor;
  for (let i = 1; i <= power; i++) steps *= (length + i) / i;
  return steps;
}

function boundOf(part: Part, open: boolean, budget: Budget): Bound {
  if (sizeOf(part) > MAX_SIZE && !open) return { kind: "unknown", reason: "it is too large" };
  try {
    if (budget.left < 0) throw new OutOfSteps();
    const automaton = automatonOf(part, open);
    budget.left -= Math.ceil(automaton.work / WORK_PER_STEP);
    const growth = growthOf(automaton, budget);
    const power = growth.kind === "exponential" ? Number.POSITIVE_INFINITY : growth.degree + 1;
    return { kind: "bounded", power, factor: factorOf(part, open), attack: attackOf(growth, automaton) };
  } catch (error) {
    if (error instanceof OutOfSteps) return { kind: "unknown", reason: "it is too involved" };
    if (!(error instanceof TooLarge)) throw error;
    budget.left -= TOO_LARGE_STEPS;
    return { kind: "unknown", reason: "it is too large" };
  }
}

function attackOf(growth: Growth, automaton: Automaton): Attack | undefined {
  if (growth.pumps.length === 0) return undefined;
  const { labels } = automaton;
  const text = (path: readonly number[]) => path.map((label) => labels.sample(label)).join("");
  const written = ({ before, pump }: Pump) => ({ before: text(before), pump: text(pump) });
  const last = growth.pumps.at(-1)?.pump.at(-1);
  const end = last === undefined ? undefined : labels.other(last);
  // Twice: $ takes one line feed for none.
  return { pumps: growth.pumps.map(written), end: (end ?? "!").repeat(2) };
}

function hasCounts(part: Part): boolean {
  switch (part.kind) {
    case "sequence":
      return part.items.some(hasCounts);
    case "choice":
      return part.branches.some(hasCounts);
    case "repeat":
      return (part.max > 1 && part.max !== Number.POSITIVE_INFINITY) || hasCounts(part.body);
    default:
      return false;
  }
}
