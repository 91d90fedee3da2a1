import { literalPrefix } from "../3-resolve/match-fields.js";
import type { PlannedRoute } from "../4-plan/parts.js";
import { hasExactHosts } from "./overlap.js";

/** Maximum overlapping routes: a route with more counts as unsearched. */
const MOST = 100;

/** Routes whose paths have the same literal prefix. */
class Group {
  readonly #all: PlannedRoute[] = [];
  readonly #byHost = new Map<string, PlannedRoute[]>();
  readonly #anyHost: PlannedRoute[] = [];

  add(route: PlannedRoute): void {
    this.#all.push(route);
    if (!hasExactHosts(route)) this.#anyHost.push(route);
    else
      for (const host of route.row.hosts) {
        const there = this.#byHost.get(host);
        if (there === undefined) this.#byHost.set(host, [route]);
        else there.push(route);
      }
  }

  *beside(route: PlannedRoute): Generator<PlannedRoute> {
    if (!hasExactHosts(route)) {
      yield* this.#all;
      return;
    }
    for (const host of route.row.hosts) yield* this.#byHost.get(host) ?? [];
    yield* this.#anyHost;
  }
}

/** Finds routes that may overlap: one literal path prefix begins the other, and the hosts overlap. */
export class OverlapIndex {
  readonly #byPrefix = new Map<string, Group>();
  readonly #sorted: string[];

  constructor(routes: Iterable<PlannedRoute>) {
    for (const route of routes)
      for (const uri of route.row.uris) {
        const literal = literalPrefix(uri);
        const group = this.#byPrefix.get(literal) ?? new Group();
        this.#byPrefix.set(literal, group);
        group.add(route);
      }
    this.#sorted = [...this.#byPrefix.keys()].sort();
  }

  /** @returns routes with other ids; `all` is false if there are more than the maximum */
  of(route: PlannedRoute): { routes: PlannedRoute[]; all: boolean } {
    const found = new Map<string, PlannedRoute>();
    for (const uri of route.row.uris)
      for (const literal of this.#overlapping(uri))
        for (const other of this.#byPrefix.get(literal)?.beside(route) ?? []) {
          if (found.size >= MOST) return { routes: [...found.values()], all: false };
          if (other.row.id !== route.row.id) found.set(other.row.id, other);
        }
    return { routes: [...found.values()], all: true };
  }

  *#overlapping(uri: string): Generator<string> {
    const literal = literalPrefix(uri);
    for (let length = literal.length; length > 0; length--) {
      const shorter = literal.slice(0, length);
      if (this.#byPrefix.has(shorter)) yield shorter;
    }
    // An exact path is the prefix of no other.
    if (literal.length === uri.length) return;
    for (let i = firstAfter(this.#sorted, literal); this.#sorted[i]?.startsWith(literal); i++)
      yield this.#sorted[i] ?? "";
  }
}

function firstAfter(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") <= text) low = middle + 1;
    else high = middle;
  }
  return low;
}
