import type { PlannedRoute } from "../plan/parts.js";
import { literalPrefix } from "../resolve/match-fields.js";

/** Routes that are looked at for one route: more are counted as not searched. */
const MOST = 100;

/** Finds routes whose paths may overlap those of another: the literal beginning of one begins the other's. */
export class Competitors {
  readonly #byPrefix = new Map<string, PlannedRoute[]>();
  readonly #sorted: string[];

  constructor(routes: Iterable<PlannedRoute>) {
    for (const route of routes)
      for (const uri of route.row.uris) {
        const literal = literalPrefix(uri);
        const there = this.#byPrefix.get(literal);
        if (there === undefined) this.#byPrefix.set(literal, [route]);
        else there.push(route);
      }
    this.#sorted = [...this.#byPrefix.keys()].sort();
  }

  /** @returns those of other ids, and whether there are more than were looked at */
  of(route: PlannedRoute): { routes: PlannedRoute[]; all: boolean } {
    const found = new Map<string, PlannedRoute>();
    for (const uri of route.row.uris)
      for (const literal of this.#overlapping(uri))
        for (const other of this.#byPrefix.get(literal) ?? []) {
          if (found.size >= MOST) return { routes: [...found.values()], all: false };
          if (other.row.id !== route.row.id) found.set(other.row.id, other);
        }
    return { routes: [...found.values()], all: true };
  }

  /** Number of routes, at least 1, that one of the route's requests is tried with at most, as far as literal beginnings tell. */
  crowdOf(route: PlannedRoute): number {
    const crowds = route.row.uris.map((uri) => {
      let count = 0;
      for (const shorter of this.#beginnings(literalPrefix(uri)))
        count += this.#byPrefix.get(shorter)?.length ?? 0;
      return count;
    });
    return Math.max(1, ...crowds);
  }

  *#beginnings(literal: string): Generator<string> {
    for (let length = literal.length; length > 0; length--) {
      const shorter = literal.slice(0, length);
      if (this.#byPrefix.has(shorter)) yield shorter;
    }
  }

  *#overlapping(uri: string): Generator<string> {
    const literal = literalPrefix(uri);
    yield* this.#beginnings(literal);
    // An exact path is the beginning of no other.
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
