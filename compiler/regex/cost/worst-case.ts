import { AnalysisCache } from "../analysis-cache.js";
import type { Node } from "../ast.js";
import { type Automaton, automatonOf } from "./automaton.js";
import { contextsOfCharacters, contextsOfTexts } from "./contexts.js";
import { factorOf } from "./factor.js";
import { type Growth, growthOf, type Pump } from "./growth.js";
import { type Part, sizeOf } from "./part.js";
import { type Counts, TooLargeError } from "./positions.js";
import { regularParts, type Tried } from "./regular.js";
import { type Budget, OutOfStepsError } from "./search.js";
import { shapeOf } from "./shape.js";
import { stepFactors } from "./ways.js";

/** Text that is slow to search: `before` once and `pump` as often as possible, for each of `pumps`, then `end`. */
export interface Attack {
  pumps: readonly { before: string; pump: string }[];
  end: string;
}

/**
 * Maximum steps in a text of n characters: the sum of `factors`, each multiplied by 1, n + 1, about n²/2, and
 * so on. Power Infinity is exponential. "unknown": the analysis gave up, so that anything is possible.
 */
type Bound =
  | { kind: "bounded"; power: number; factors: readonly number[]; attack: Attack | undefined }
  | { kind: "unknown"; reason: string };

/** For each part (lookarounds are separate parts), one bound by each method of counting. */
export interface WorstCase {
  /** A search takes the sum over the parts of the smallest of their bounds. */
  parts: readonly (readonly Bound[])[];
  taken: number;
}

/** Step limit for one pattern: 0.3 s of a busy machine. */
export const PATTERN_STEPS = 1_000_000;
const WORK_PER_STEP = 8;
/** Steps charged for a part that turned out to be too large. */
const TOO_LARGE_STEPS = 50_000;
const TOO_INVOLVED = "it is too complex";
/** Larger patterns are not analysed. */
const MAX_SIZE = 100_000;

export function worstCaseOf(node: Node, steps = PATTERN_STEPS): WorstCase {
  const budget: Budget = { left: steps };
  const parts = regularParts(node).map((tried) => boundsOf(tried, budget));
  return { parts, taken: steps - Math.max(Math.floor(budget.left), 0) };
}

/** Infinity if the growth is exponential or unknown. */
export function stepsFor({ parts }: WorstCase, length: number): number {
  return parts.reduce(
    (total, bounds) => total + Math.min(...bounds.map((bound) => stepsOf(bound, length))),
    0,
  );
}

function stepsOf(bound: Bound, length: number): number {
  if (bound.kind === "unknown" || bound.power === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  let [steps, marks] = [0, 1];
  for (const [i, factor] of bound.factors.entries()) {
    if (i > 0) marks *= (length + i) / i;
    steps += factor * marks;
  }
  return steps;
}

/** Counts paths if possible, otherwise takes their growth with the factors of counts and choices. */
function boundsOf({ part, isBehind, instead, times = 1 }: Tried, budget: Budget): Bound[] {
  const bounds = boundsOfPart(part, isBehind, budget);
  if (instead !== undefined && !bounds.some(isLow)) bounds.push(...boundsOfPart(instead, isBehind, budget));
  return times === 1 ? bounds : bounds.map((bound) => several(bound, times));
}

function several(bound: Bound, times: number): Bound {
  return bound.kind === "unknown"
    ? bound
    : { ...bound, factors: bound.factors.map((factor) => factor * times) };
}

function boundsOfPart(part: Part, isBehind: boolean, budget: Budget): Bound[] {
  // Each part behind another includes that one: a thousand of them would be a million to examine.
  if (budget.left <= 0) return [{ kind: "unknown", reason: TOO_INVOLVED }];
  const counted = isBehind ? [] : countedBounds(part, budget);
  if (counted.some(isLow)) return counted;
  const closed = boundOf(part, false, budget);
  const bounds = [...counted, closed];
  if (isLow(closed)) return bounds;
  return hasCounts(part) ? [...bounds, boundOf(part, true, budget)] : bounds;
}

/** Steps per character up to which no second method is tried. */
const FEW = 100;

function isLow(bound: Bound): boolean {
  return bound.kind === "bounded" && bound.power <= 1 && (bound.factors[1] ?? 0) <= FEW;
}

type Bounded = Bound & { kind: "bounded" };

/** Cache by shape. 20,000 routes of one template have patterns of few shapes: 0.5 s instead of 4.0 s. */
const counts = new AnalysisCache<Counted>("ways", 2_000);

interface Counted {
  factors: readonly (readonly number[])[];
  taken: number;
}

function countedBounds(part: Part, budget: Budget): Bounded[] {
  const shape = shapeOf(part);
  const steps = Math.min(budget.left, COUNTING_STEPS);
  const made = () => countedWays(shape?.part() ?? part, steps);
  const { factors, taken } =
    shape === undefined || steps < COUNTING_STEPS ? made() : counts.get(shape.key, made);
  budget.left -= taken;
  return factors.map((each) => ({
    kind: "bounded",
    power: each.length - 1,
    factors: each,
    attack: undefined,
  }));
}

/**
 * Counts over the sets of positions that texts make alive. If those are too many, over the positions that
 * each character can make alive, and over the sets with runs that are not unrolled.
 */
function countedWays(part: Part, steps: number): Counted {
  const share: Budget = { left: steps };
  const factors: (readonly number[])[] = [];
  within(share, () => {
    const automaton = countable(part, "closed", share);
    if (automaton === undefined) return;
    const contexts = contextsOfTexts(automaton, share);
    factors.push(...stepFactors(automaton, contexts ?? contextsOfCharacters(automaton, share), share));
    const folded = contexts === undefined ? countable(part, "folded", share) : undefined;
    const fewer = folded && contextsOfTexts(folded, share);
    if (folded && fewer) factors.push(...stepFactors(folded, fewer, share));
  });
  return { factors, taken: steps - share.left };
}

function countable(part: Part, counts: Counts, budget: Budget): Automaton | undefined {
  const automaton = automatonOf(part, counts);
  budget.left -= Math.ceil(automaton.work / WORK_PER_STEP);
  return automaton.exact ? automaton : undefined;
}

/** Step limit for counting paths. Twenty times as many accept one more of 408 patterns, in three times the time. */
const COUNTING_STEPS = 12_000;

function boundOf(part: Part, open: boolean, budget: Budget): Bound {
  if (sizeOf(part) > MAX_SIZE && !open) return { kind: "unknown", reason: "it is too large" };
  return within(budget, () => {
    if (budget.left < 0) throw new OutOfStepsError();
    const automaton = automatonOf(part, open ? "open" : "closed");
    budget.left -= Math.ceil(automaton.work / WORK_PER_STEP);
    const growth = growthOf(automaton, budget);
    const attack = attackOf(growth, automaton);
    if (growth.kind === "exponential")
      return { kind: "bounded", power: Number.POSITIVE_INFINITY, factors: [], attack };
    const power = growth.degree + 1;
    const factors = [...new Array<number>(power).fill(0), factorOf(part, open)];
    return { kind: "bounded", power, factors, attack };
  });
}

/** @returns the bound "unknown" if the part of the analysis gave up */
function within<T>(budget: Budget, work: () => T): T | (Bound & { kind: "unknown" }) {
  try {
    return work();
  } catch (error) {
    if (error instanceof OutOfStepsError) return { kind: "unknown", reason: TOO_INVOLVED };
    if (!(error instanceof TooLargeError)) throw error;
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
  // Repeated, since $ ignores one final line feed.
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
