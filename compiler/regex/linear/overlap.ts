import type { Automaton } from "../cost/automaton.js";

/** Maximum sets of positions in front of a run; `WINDOW`: characters over which they are followed. */
const MAX_SETS = 200;
const WINDOW = 128;
/** Limit for all runs of a pattern. */
const MAX_WORK = 2_000_000;

/** In front of a run, by the positions alive there: the next set on a character, and whether it enters the run. */
type Steps = { next: number; enters: 0 | 1 }[][];

/**
 * Counts the copies of a counted run over one set (`[^;]{1,200}`) that can be alive together. A search enters
 * the run once for each start, and a start needs the part in front (`; HTC`): there are fewer copies than its
 * count.
 */
export class Overlap {
  readonly #automaton: Automaton;
  readonly #cached = new Map<number, number>();
  #left = MAX_WORK;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  of(state: number): number {
    const { copies, runs } = this.#automaton;
    const [most = 1, run] = [copies[state], runs[state]];
    if (most === 1 || run === undefined) return most;
    let entries = this.#cached.get(run);
    if (entries === undefined) this.#cached.set(run, (entries = this.#entriesOf(run, most)));
    // A run without an upper limit continues in its last copy.
    return Math.min(most, entries + 1);
  }

  #entriesOf(run: number, length: number): number {
    const steps = this.#stepsBefore(run);
    if (steps === undefined) return length;
    const window = Math.min(length, WINDOW);
    this.#left -= window * steps.reduce((total, each) => total + each.length, 0);
    if (this.#left < 0) return length;
    let most = steps.map(() => 0);
    for (let i = 0; i < window; i++)
      most = steps.map((each) => Math.max(0, ...each.map(({ next, enters }) => enters + (most[next] ?? 0))));
    return Math.max(...most) * Math.ceil(length / window);
  }

  #stepsBefore(run: number): Steps | undefined {
    const { edges, labels, runs } = this.#automaton;
    const before = this.#leadingTo(run);
    const sets = [[0]];
    const numbers = new Map([["0", 0]]);
    const steps: Steps = [];
    for (const set of sets) {
      const leaving = set.flatMap((state) => edges[state] ?? []);
      this.#left -= leaving.length * labels.classes.length;
      if (sets.length > MAX_SETS || this.#left < 0) return undefined;
      steps.push(
        labels.classes.map((each) => {
          const taken = leaving.filter(({ label }) => labels.fits(label, each)).map(({ to }) => to);
          const next = [...new Set(taken.filter((to) => before.has(to)))].sort((a, b) => a - b);
          const key = next.join();
          let number = numbers.get(key);
          if (number === undefined) numbers.set(key, (number = sets.push(next) - 1));
          return { next: number, enters: taken.some((to) => runs[to] === run) ? 1 : 0 };
        }),
      );
    }
    return steps;
  }

  /** States from which the run is entered, directly or through others. */
  #leadingTo(run: number): ReadonlySet<number> {
    const { edges, runs } = this.#automaton;
    const sources: number[][] = edges.map(() => []);
    for (const [from, leaving] of edges.entries()) for (const { to } of leaving) sources[to]?.push(from);
    const found = new Set<number>();
    const open = edges.flatMap((_, state) => (runs[state] === run ? (sources[state] ?? []) : []));
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (found.has(state) || runs[state] === run) continue;
      found.add(state);
      open.push(...(sources[state] ?? []));
    }
    return found;
  }
}
