import { AnalysisCache } from "../analysis-cache.js";
import type { Node } from "../ast.js";
import { LAST_CODE_POINT, setOf } from "../charset.js";
import { isUnrolled, NOTHING, type Part } from "../cost/part.js";
import { type Positions, positionsOf, TooLargeError } from "../cost/positions.js";
import { GUARDS } from "../cost/regular.js";
import { type Budget, OutOfStepsError } from "../cost/search.js";
import { parseRegex } from "../translate.js";
import { Alphabet, Matcher } from "./matcher.js";
import { type Candidate, Search } from "./search.js";

/** Indices of the earlier patterns that leave no target; undefined if some target may reach the pattern. */
export type Cover = readonly number[] | undefined;

/** Step limits for one pattern, and for a list: at most 60 ms of CPU time. */
const PATTERN_STEPS = 30_000;
const LIST_STEPS = 150_000;
/** Limit for all patterns of a list. */
const MAX_POSITIONS = 4_000;

/** Services and plugin_configs bring one list to thousands of routes. */
const covers = new AnalysisCache<readonly Cover[]>("cover", 500);

/**
 * The first match of a list decides. A pattern is covered if each target that contains a match of it contains
 * one of an earlier pattern: inclusion of regular languages, with a step limit.
 * @param isPath the targets are paths, which begin with "/"
 */
export function coversOf(patterns: readonly string[], isPath: boolean): readonly Cover[] {
  if (patterns.length < 2) return patterns.map(() => undefined);
  return covers.get(JSON.stringify([isPath, ...patterns]), () => compared(patterns, isPath));
}

function compared(patterns: readonly string[], isPath: boolean): Cover[] {
  const all = allPositions(patterns);
  const alphabet = new Alphabet(all.flatMap((one) => one?.positions ?? []));
  const budget: Budget = { left: 0 };
  let left = LIST_STEPS;
  const earlier: Candidate[] = [];
  return patterns.map((pattern, index) => {
    const same = patterns.indexOf(pattern);
    if (same < index) return [same];
    const { positions, isExact } = all[index] ?? {};
    if (positions === undefined) return undefined;
    const matcher = new Matcher(positions, alphabet, budget);
    const given = Math.min(PATTERN_STEPS, left);
    budget.left = given;
    const cover = coverOf(new Search(matcher, alphabet, isPath, budget), earlier);
    left -= given - Math.max(budget.left, 0);
    if (cover === undefined && isExact) earlier.push({ index, matcher });
    return cover;
  });
}

function coverOf(search: Search, earlier: readonly Candidate[]): Cover {
  try {
    const covering = search.coveringAmong(earlier);
    // A pattern that no target matches is another mistake.
    if (covering === undefined || search.coveringAmong([]) !== undefined) return undefined;
    const together = earlier.filter(({ index }) => covering.has(index));
    return together.length === 1 ? [...covering] : fewestOf(search, together);
  } catch (error) {
    if (error instanceof OutOfStepsError) return undefined;
    throw error;
  }
}

/** The first pattern that covers everything alone, otherwise a minimal set. */
function fewestOf(search: Search, together: readonly Candidate[]): readonly number[] {
  for (const candidate of together)
    if (search.coveringAmong([candidate]) !== undefined) return [candidate.index];
  let left = together;
  for (const candidate of together) {
    const others = left.filter((other) => other !== candidate);
    if (search.coveringAmong(others) !== undefined) left = others;
  }
  return left.map(({ index }) => index);
}

interface PatternPositions {
  positions: Positions;
  /** If false, the positions may match more than the pattern does. */
  isExact: boolean;
}

/** @returns undefined for invalid or too large patterns */
function allPositions(patterns: readonly string[]): (PatternPositions | undefined)[] {
  let total = 0;
  return patterns.map((pattern) => {
    if (total > MAX_POSITIONS) return undefined;
    const found = positionsIf(pattern, true) ?? positionsIf(pattern, false);
    total += found?.positions.positions.length ?? 0;
    return found;
  });
}

function positionsIf(pattern: string, isExact: boolean): PatternPositions | undefined {
  const node = parseRegex(pattern, "");
  if (node === undefined) return undefined;
  try {
    return { positions: positionsOf(languageOf(node, isExact), "closed"), isExact };
  } catch (error) {
    if (error instanceof NotExactError || error instanceof TooLargeError) return undefined;
    throw error;
  }
}

/** The pattern is not regular, or too large to be unrolled. */
class NotExactError extends Error {}

const ANY: Part = { kind: "set", set: setOf([[0, LAST_CODE_POINT]]) };
const ANYTHING: Part = { kind: "repeat", body: ANY, min: 0, max: Number.POSITIVE_INFINITY };
/** Matches nothing, in place of `\R`: no target contains a line end (RFC 9112 section 3.2). */
const NEVER: Part = { kind: "set", set: setOf([]) };

/**
 * Regular terms to decide which targets contain a match.
 * @param exact if false, the result may match more: lookarounds always hold, atomic groups give back,
 * backreferences match anything
 * @throws NotExactError
 */
function languageOf(node: Node, exact: boolean): Part {
  const of = (part: Node): Part => languageOf(part, exact);
  const widened = (part: () => Part): Part => {
    if (exact) throw new NotExactError();
    return part();
  };
  switch (node.kind) {
    case "set":
      return node.set.properties.length > 0 ? widened(() => ANY) : { kind: "set", set: node.set };
    case "newline":
      return NEVER;
    case "assertion":
      return { kind: "guard", guard: GUARDS[node.assertion] };
    case "group":
      return of(node.body);
    case "sequence":
      return { kind: "sequence", items: node.items.map(of) };
    case "choice":
      return { kind: "choice", branches: node.branches.map(of) };
    case "repeat":
      return node.mode === "possessive" ? widened(() => repeated(node, false)) : repeated(node, exact);
    case "atomic":
      return widened(() => of(node.body));
    case "look":
      return widened(() => NOTHING);
    case "conditional":
      return widened(() => ({ kind: "choice", branches: [of(node.yes), of(node.no)] }));
    case "backReference":
      return widened(() => ANYTHING);
    case "call":
      throw new NotExactError();
  }
}

/** Counts that are not unrolled are loops in the automaton. */
function repeated({ body, min, max }: Node & { kind: "repeat" }, exact: boolean): Part {
  if (max === 0) return NOTHING;
  const part = { kind: "repeat", body: languageOf(body, exact), min, max } as const;
  const counts = max === Number.POSITIVE_INFINITY ? { ...part, max: min } : part;
  if (exact && !isUnrolled(counts)) throw new NotExactError();
  return part;
}
