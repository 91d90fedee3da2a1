import type { PlannedRoute } from "../4-plan/parts.js";
import { appendTo } from "../model/append-to.js";
import { literalPrefix, overlaps } from "../model/path-patterns.js";

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
    else for (const host of route.row.hosts) appendTo(this.#byHost, host, route);
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

/**
 * Overlap of two routes, derived from settings without running a request. Conditions and addresses are
 * ignored, so the result is only a possibility: without an example, a report may claim no more.
 */

export function mayShare(a: PlannedRoute, b: PlannedRoute): boolean {
  const apart = (one: readonly string[], other: readonly string[]) =>
    one.length > 0 && other.length > 0 && !one.some((item) => other.includes(item));
  const { row: first } = a;
  const { row: second } = b;
  const isExact = hasExactHosts(a) && hasExactHosts(b);
  if (apart(first.methods, second.methods) || (isExact && apart(first.hosts, second.hosts))) return false;
  return sharedPatterns(a, b).length > 0;
}

/** All hosts are exact; false without hosts. */
const hasExactHosts = ({ row: { hosts } }: PlannedRoute): boolean =>
  hosts.length > 0 && hosts.every((host) => !host.includes("*"));

/** Compares for every request that both match. */
export function isTriedBefore(a: PlannedRoute, b: PlannedRoute): boolean {
  const hosts = b.row.hosts.length === 0 || sameList(a.row.hosts, b.row.hosts);
  return (
    hosts &&
    a.row.priority >= b.row.priority &&
    sharedPatterns(a, b).every(
      ([own, other]) => own.length > other.length && literalPrefix(own).length >= literalPrefix(other).length,
    )
  );
}

/** Only the order of the two routes decides precedence, and it has changed. */
export function haveSwappedOrder(before: readonly PlannedRoute[], after: readonly PlannedRoute[]): boolean {
  const [a, b] = before;
  const [c, d] = after;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
  if (a.row.priority !== b.row.priority || c.row.priority !== d.row.priority || !mayShare(c, d)) return false;
  const isTie = sharedPatterns(c, d).some(([own, other]) => own.length === other.length);
  return isTie && isFirst(a, b) !== isFirst(c, d);
}

/** Compares as the router does: by order, then by id. */
export const isFirst = (a: PlannedRoute, b: PlannedRoute): boolean =>
  a.row.order === b.row.order ? a.row.id < b.row.id : a.row.order < b.row.order;

function sharedPatterns(a: PlannedRoute, b: PlannedRoute): [string, string][] {
  return a.row.uris.flatMap((own) =>
    b.row.uris.filter((other) => overlaps(own, other)).map((other): [string, string] => [own, other]),
  );
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item) => b.includes(item));
