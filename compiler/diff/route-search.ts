import type { PlannedRoute } from "../4-plan/parts.js";
import { appendTo } from "../model/append-to.js";
import { OverlapIndex } from "./overlap.js";
import { overlapConstraints, routeConstraints } from "./route-constraints.js";
import { buildSample, type SampleConstraints } from "./sample-constraints.js";
import type { DiffSimulator, SampleRequest } from "./simulator.js";

/** Requests kept for one pair of routes: the first request with different responses is the example. */
const KEPT = 8;
/** Budget of matched requests for all routes together, which takes some seconds. */
const BUDGET = 400_000;
const LEAST = 24;
/**
 * Budget of evaluated route conditions, 0.7 µs each. If 1,000 routes share host and path, each request
 * evaluates them all.
 */
const ASKED = 4_000_000;
/** Minimum for each route, so that the first two of each side are tried. */
const MIN_IN_CROWD = 4;

export interface Moved {
  from: string | null;
  to: string | null;
  probes: SampleRequest[];
}

export interface Forms {
  before: PlannedRoute | undefined;
  after: PlannedRoute | undefined;
}

export class RouteSearch {
  readonly #trial: DiffSimulator;
  readonly #competitors: OverlapIndex;
  readonly #count: number;
  readonly #byPair = new Map<string, Moved>();
  /** Moved requests by the route that lost them, and by the route that won them. */
  readonly lost = new Map<string | null, Moved[]>();
  readonly won = new Map<string | null, Moved[]>();
  /** Routes whose overlaps were not searched completely. */
  readonly unsearched = new Set<string>();
  /** Overlapping routes by searched route, in either of its forms. */
  readonly overlapping = new Map<string, ReadonlySet<string>>();

  constructor(trial: DiffSimulator, all: Iterable<PlannedRoute>, count: number) {
    this.#trial = trial;
    this.#competitors = new OverlapIndex(all);
    this.#count = Math.max(1, count);
  }

  search(id: string, { before, after }: Forms): void {
    const mayTry = this.#allowance();
    const limited = (facts: Iterable<SampleConstraints>): boolean => {
      for (const one of facts) {
        if (!mayTry()) {
          this.unsearched.add(id);
          return false;
        }
        this.#match(buildSample(one));
      }
      return true;
    };
    limited(
      alternately(
        after === undefined ? [] : routeConstraints(after, before),
        before === undefined ? [] : routeConstraints(before, after),
      ),
    );
    const others = new Set<string>();
    this.overlapping.set(id, others);
    for (const form of [before, after]) {
      if (form === undefined) continue;
      const { routes, all } = this.#competitors.of(form);
      for (const { row } of routes) others.add(row.id);
      if (!all) this.unsearched.add(id);
      for (const other of routes) if (!limited(overlapConstraints(form, other))) break;
    }
  }

  /** Counts for one route, and reports whether another request is allowed. */
  #allowance(): () => boolean {
    const most = Math.floor(Math.max(LEAST, BUDGET / this.#count));
    const mostAsked = this.#trial.conditionsAsked() + ASKED / this.#count;
    let tried = 0;
    return () => {
      tried += 1;
      return tried <= MIN_IN_CROWD || (tried <= most && this.#trial.conditionsAsked() < mostAsked);
    };
  }

  #match(probe: SampleRequest): void {
    const from = this.#trial.match("before", probe);
    const to = this.#trial.match("after", probe);
    if (from === to) return;
    const key = JSON.stringify([from, to]);
    const known = this.#byPair.get(key);
    if (known !== undefined) {
      if (known.probes.length < KEPT) known.probes.push(probe);
      return;
    }
    const moved = { from, to, probes: [probe] };
    this.#byPair.set(key, moved);
    appendTo(this.lost, from, moved);
    appendTo(this.won, to, moved);
  }

  get moved(): Iterable<Moved> {
    return this.#byPair.values();
  }
}

/** First items of both, then second items of both, since few requests are kept. */
function* alternately<T>(a: readonly T[], b: readonly T[]): Generator<T> {
  for (let i = 0; i < a.length || i < b.length; i++) for (const list of [a, b]) yield* list.slice(i, i + 1);
}
