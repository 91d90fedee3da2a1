import type { PlannedRoute } from "../plan/parts.js";
import { OverlapIndex } from "./overlap-index.js";
import { overlapConstraints, routeConstraints } from "./route-constraints.js";
import { buildSample, type SampleConstraints } from "./sample-constraints.js";
import type { DiffSimulator, SampleRequest } from "./sample-request.js";

/** Probes that are kept of one pair of routes: the first whose answers differ is the example. */
const KEPT = 8;
/** Requests that are matched for all routes together, some seconds' worth. */
const BUDGET = 400_000;
const LEAST = 24;
/** Conditions of routes that those are tried on, 0.7 µs each: where 1,000 routes have one host and path, each request asks them all. */
const ASKED = 4_000_000;
/** The first two of each side. */
const MIN_IN_CROWD = 4;

/** Requests that one route took before and another takes now. */
export interface Moved {
  from: string | null;
  to: string | null;
  probes: SampleRequest[];
}

/** A route in both its forms; undefined where there is none. */
export interface Forms {
  before: PlannedRoute | undefined;
  after: PlannedRoute | undefined;
}

/** Finds requests whose route changes, by trying those that routes with another place or another match may take. */
export class RouteSearch {
  readonly #trial: DiffSimulator;
  readonly #competitors: OverlapIndex;
  readonly #count: number;
  readonly #byPair = new Map<string, Moved>();
  /** By the route that had the requests, and by the one that has them now. */
  readonly lost = new Map<string | null, Moved[]>();
  readonly won = new Map<string | null, Moved[]>();
  /** Routes of which not everything that overlaps was tried. */
  readonly unsearched = new Set<string>();
  /** Routes whose paths may overlap those of one that was searched, in either of its forms. */
  readonly competitors = new Map<string, ReadonlySet<string>>();

  /** @param all routes of both configurations @param count how many will be searched */
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
    this.competitors.set(id, others);
    for (const form of [before, after]) {
      if (form === undefined) continue;
      const { routes, all } = this.#competitors.of(form);
      for (const { row } of routes) others.add(row.id);
      if (!all) this.unsearched.add(id);
      for (const other of routes) if (!limited(overlapConstraints(form, other))) break;
    }
  }

  /** Counts the requests that are tried for one route: whether there may be another. */
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
    append(this.lost, from, moved);
    append(this.won, to, moved);
  }

  get moved(): Iterable<Moved> {
    return this.#byPair.values();
  }
}

/** The first of each, then the second of each: few of them show both sides. */
function* alternately<T>(a: readonly T[], b: readonly T[]): Generator<T> {
  for (let i = 0; i < a.length || i < b.length; i++) for (const list of [a, b]) yield* list.slice(i, i + 1);
}

function append(all: Map<string | null, Moved[]>, id: string | null, moved: Moved): void {
  const known = all.get(id);
  if (known === undefined) all.set(id, [moved]);
  else known.push(moved);
}
