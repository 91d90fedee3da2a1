import type { Automaton } from "./automaton.js";
import { componentsOf } from "./components.js";
import type { Contexts, Entrance } from "./contexts.js";
import type { Budget } from "./search.js";

/**
 * Maximum paths alive at once behind i characters, as multiples of i+0 over 0, i+1 over 1, i+2 over 2 ….
 * Summing one of them over a text gives the next.
 */
type Amount = readonly number[];

/** Maximum power: a higher one is no useful bound. */
const MAX_POWER = 12;

/**
 * Bounds for the steps of a search in a text of n characters, as multiples of 1, n+1 over 1, n+2 over 2 ….
 * Each of them holds.
 *
 * For each set of states that can be alive together, it bounds the paths by which the search reaches each
 * state. Within a loop, a path has at most one successor, or there is no bound. Paths that enter the loop add
 * up over the whole text, or over the characters of a counted repetition.
 * @throws OutOfStepsError
 */
export function stepFactors(automaton: Automaton, contexts: Contexts, budget: Budget): Amount[] {
  const ways = new Ways(automaton, contexts, budget);
  const counted = ways.steps(true);
  const open = automaton.limits.some(Number.isFinite) ? ways.steps(false) : counted;
  if (counted === undefined || open === undefined) return [];
  return open.length > counted.length ? [counted, open] : [counted];
}

/** States that together lead to a state of a component, on one character. */
interface Group {
  move: number;
  /** Number of paths, by component that they leave. */
  ways: ReadonlyMap<number, number>;
}

interface Known {
  /** Maximum paths at one of its states. */
  amount: Amount;
  /** Sum of them over all moves of a text after which the component has no path left. */
  left: Amount;
}

class Ways {
  readonly #automaton: Automaton;
  readonly #contexts: Contexts;
  readonly #budget: Budget;
  /** Component by state; successors have lower numbers. */
  readonly #componentOf: readonly number[];
  readonly #groups: Group[][] = [];
  readonly #limits: number[] = [];
  /** By move: components that keep all or some of their paths; `#between`: the contexts that it connects. */
  readonly #keeping: Set<number>[] = [];
  readonly #between: { from: number; to: number }[] = [];
  readonly #next: readonly (readonly number[])[];

  constructor(automaton: Automaton, contexts: Contexts, budget: Budget) {
    this.#automaton = automaton;
    this.#contexts = contexts;
    this.#budget = budget;
    this.#next = contexts.moves.map((moves) => [...new Set(moves.map(({ to }) => to))]);
    this.#componentOf = componentsOf(automaton).of;
    for (const [state, component] of this.#componentOf.entries())
      this.#limits[component] = Math.max(this.#limits[component] ?? 0, automaton.limits[state] ?? 0);
    for (const [from, moves] of contexts.moves.entries())
      for (const { to, entrances } of moves) {
        const move = this.#between.push({ from, to }) - 1;
        this.#keeping.push(new Set());
        for (const entrance of entrances) this.#collect(move, entrance);
      }
  }

  #collect(move: number, { to, from }: Entrance): void {
    const component = this.#componentOf[to] ?? 0;
    const ways = new Map<number, number>();
    for (const each of from) {
      const source = this.#componentOf[each.state] ?? 0;
      ways.set(source, (ways.get(source) ?? 0) + each.ways);
    }
    if (ways.has(component)) this.#keeping[move]?.add(component);
    (this.#groups[component] ??= []).push({ move, ways });
  }

  steps(counted: boolean): Amount | undefined {
    const known: Known[] = [];
    for (let component = this.#limits.length - 1; component >= 0; component--) {
      const found = this.#know(component, known, counted);
      if (found === undefined || found.amount.length > MAX_POWER) return undefined;
      known[component] = found;
    }
    const { steps } = this.#automaton;
    const at = (state: number) =>
      scaled(known[this.#componentOf[state] ?? 0]?.amount ?? [], steps[state] ?? 1);
    const each = this.#contexts.alive.map((set) => set.map(at).reduce(sum, [])).reduce(most, []);
    const found = lower(summedUp(each), this.#stepsByComponent(known));
    // Every character takes at least one step, also a check whether a match begins there.
    return sum(found, found.length <= 1 ? [0, steps[0] ?? 1] : []);
  }

  /** By component: one that a text enters once (`^abc`) does not grow with the text. */
  #stepsByComponent(known: readonly Known[]): Amount {
    const steps = new Map<number, number>();
    for (const set of this.#contexts.alive) {
      const together = new Map<number, number>();
      for (const state of set) {
        const component = this.#componentOf[state] ?? 0;
        together.set(component, (together.get(component) ?? 0) + (this.#automaton.steps[state] ?? 1));
      }
      for (const [component, sum] of together) steps.set(component, Math.max(steps.get(component) ?? 0, sum));
    }
    const isLoop = new Set(this.#keeping.flatMap((components) => [...components]));
    return known
      .map(({ amount, left }, component) =>
        scaled(isLoop.has(component) ? summedUp(amount) : left, steps.get(component) ?? 0),
      )
      .reduce(sum, []);
  }

  #know(component: number, known: readonly Known[], counted: boolean): Known | undefined {
    if (component === this.#componentOf[0]) return { amount: [1], left: [1] };
    const [entering, joining, all] = [new Inflow(known), new Inflow(known), new Inflow(known)];
    const [joins, inflows] = [new Set<number>(), new Set<number>()];
    for (const { move, ways } of this.#groups[component] ?? []) {
      const inside = ways.get(component) ?? 0;
      if (inside > 1) return undefined;
      const outside = inside === 0 ? ways : new Map([...ways].filter(([source]) => source !== component));
      if (outside.size === 0) continue;
      inflows.add(move);
      if (inside > 0) joins.add(move);
      const keeps = (source: number) => this.#keeping[move]?.has(source) === true;
      for (const inflow of [all, inside === 0 ? entering : joining]) inflow.add(outside, keeps);
    }
    const gap = this.#gapOf(joins);
    const limit = this.#limits[component] ?? Number.POSITIVE_INFINITY;
    const isLimited = counted && Number.isFinite(limit);
    const joined = isLimited ? scaled(joining.most, limit / gap + 1) : joining.total(gap);
    const amount = sum(entering.most, joined);
    return { amount, left: lower(summedUp(amount), all.total(this.#gapOf(inflows))) };
  }

  /** Minimum characters from one move to the next: `<script` has seven. */
  #gapOf(moves: ReadonlySet<number>): number {
    if (moves.size === 0) return 1;
    const begin = new Set<number>();
    const seen = new Set<number>();
    for (const move of moves) {
      const { from, to } = this.#between[move] ?? { from: 0, to: 0 };
      begin.add(from);
      seen.add(to);
    }
    let open = [...seen];
    for (let gap = 1; open.length > 0; gap++) {
      const next: number[] = [];
      for (const context of open) {
        if (begin.has(context)) return gap;
        this.#budget.left -= (this.#contexts.moves[context]?.length ?? 0) / MOVES_PER_STEP;
        for (const to of this.#next[context] ?? []) {
          if (seen.has(to)) continue;
          seen.add(to);
          next.push(to);
        }
      }
      open = next;
    }
    // It happens once in a text.
    return Number.POSITIVE_INFINITY;
  }
}

/** Moves examined in one step of the analysis. */
const MOVES_PER_STEP = 8;

class Inflow {
  most: Amount = [];
  readonly #known: readonly Known[];
  /** By source component: maximum paths at once, and whether the component keeps some. */
  readonly #sources = new Map<number, { ways: number; keeps: boolean }>();

  constructor(known: readonly Known[]) {
    this.#known = known;
  }

  add(ways: ReadonlyMap<number, number>, keeps: (component: number) => boolean): void {
    let together: Amount = [];
    for (const [component, count] of ways) {
      together = sum(together, scaled(this.#known[component]?.amount ?? [], count));
      const before = this.#sources.get(component);
      this.#sources.set(component, {
        ways: Math.max(before?.ways ?? 0, count),
        keeps: before?.keeps === true || keeps(component),
      });
    }
    this.most = most(this.most, together);
  }

  /**
   * Sum over all characters of a text. Paths that leave a component completely count once.
   * @param gap minimum characters from one time to the next
   */
  total(gap: number): Amount {
    let each: Amount = [];
    for (const [component, { ways, keeps }] of this.#sources) {
      const { amount, left } = this.#known[component] ?? { amount: [], left: [] };
      each = sum(each, scaled(keeps ? summedUp(amount) : left, ways));
    }
    const times = summedUp(scaled(this.most, 1 / gap));
    return lower(each, trimmed(gap === 1 ? times : sum(this.most, times)));
  }
}

const summedUp = (amount: Amount): Amount => (amount.length === 0 ? [] : [0, ...amount]);

function trimmed(amount: Amount): Amount {
  const last = amount.findLastIndex((each) => each > 0);
  return amount.slice(0, last + 1);
}

function lower(a: Amount, b: Amount): Amount {
  if (a.length !== b.length) return a.length < b.length ? a : b;
  return (a.at(-1) ?? 0) <= (b.at(-1) ?? 0) ? a : b;
}

const sum = (a: Amount, b: Amount): Amount => combined(a, b, (x, y) => x + y);

const most = (a: Amount, b: Amount): Amount => combined(a, b, Math.max);

/** A missing power is 0. */
function combined(a: Amount, b: Amount, by: (x: number, y: number) => number): Amount {
  if (b.length === 0) return a;
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  const all = longer.slice();
  for (const [i, each] of shorter.entries()) all[i] = by(all[i] ?? 0, each);
  return all;
}

const scaled = (amount: Amount, by: number): Amount => (by === 1 ? amount : amount.map((each) => each * by));
