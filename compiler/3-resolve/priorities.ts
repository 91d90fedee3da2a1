import { diagnostic } from "../diagnostics/report.js";
import { appendTo } from "../model/append-to.js";
import type { Diagnostic, Report } from "../model/diagnostic.js";
import { covers, literalPrefix } from "../model/path-patterns.js";
import type { Resource } from "../model/resource.js";
import { idSpan } from "./duplicates.js";
import type { Inventory } from "./inventory.js";
import { routeHosts, routeUris } from "./match-fields.js";
import type { RouteValue } from "./values.js";

type Route = Resource<RouteValue>;

/** Pair of host and path; "" for any host. */
interface Entry {
  route: Route;
  host: string;
  uri: string;
}

/** Maximum longer paths that are examined for one route; with more a diagnostic may be missing. */
const LIMIT = 500;

const silent = () => {};
const priorityOf = ({ value }: Route): number => value.priority ?? 0;

/**
 * Reports priorities that were meant to decide between two routes and cannot. Paths decide first: the longer
 * literal prefix wins (reference 2.2). A priority without any overlapping route is harmless, and may be in a
 * template.
 */
export function checkPriorities(inventory: Inventory, report: Report): void {
  const routes = [...(inventory.all("routes").values() as Iterable<Route>)].filter(
    ({ value }) => value.status !== 0,
  );
  const asked = routes.filter((route) => route.from === "file" && priorityOf(route) !== 0);
  if (asked.length === 0 || inventory.hasUnknownUsers) return;
  const order = new Precedence(routes.flatMap((route) => entriesOf(route, inventory)));
  for (const route of asked) {
    const entries = entriesOf(route, inventory);
    if (entries.some((entry) => order.decidesByPriority(entry))) continue;
    const found = entries.flatMap((entry) => order.unbeaten(entry) ?? [])[0];
    if (found) report(finding(route, found));
  }
}

function finding(route: Route, { own, other }: { own: Entry; other: Entry }): Diagnostic {
  const priority = priorityOf(route);
  const first = priority > 0 ? other : own;
  const why =
    other.host === own.host
      ? `its path "${first.uri}" is more specific`
      : `its host "${first.host}" is more specific`;
  const reason =
    priority > 0
      ? `route "${other.route.id}" is tried before it in any case, because ${why}`
      : `it is tried before route "${other.route.id}" in any case, because ${why}`;
  const notes = [{ message: `route "${other.route.id}" is here`, span: idSpan(other.route) }];
  const params = { id: route.id, priority, reason };
  return diagnostic("GW3047", route.spans.value(["priority"]), params, { notes });
}

function entriesOf(route: Route, inventory: Inventory): Entry[] {
  const hosts = routeHosts(route, inventory.serviceOf(route), silent);
  const uris = routeUris(route, silent);
  return (hosts.length > 0 ? hosts : [""]).flatMap((host) => uris.map((uri) => ({ route, host, uri })));
}

const isExact = (uri: string): boolean => literalPrefix(uri) === uri;

/** Key of entries between which priorities decide. */
const groupOf = ({ host, uri }: Entry): string => `${host} ${isExact(uri) ? "=" : "^"}${literalPrefix(uri)}`;

/** Order of the router, apart from priorities. */
class Precedence {
  readonly #groups = new Map<string, Entry[]>();
  /** Entries sorted by path, for each host; "" has those of all hosts. */
  readonly #sorted = new Map<string, Entry[]>();

  constructor(entries: readonly Entry[]) {
    for (const entry of [...entries].sort((a, b) => (a.uri < b.uri ? -1 : 1))) {
      appendTo(this.#groups, groupOf(entry), entry);
      for (const host of new Set(["", entry.host])) appendTo(this.#sorted, host, entry);
    }
  }

  decidesByPriority(entry: Entry): boolean {
    return this.#groups.get(groupOf(entry))?.some(({ route }) => route.id !== entry.route.id) === true;
  }

  /** Overlapping entry whose order the priority was meant to change. */
  unbeaten(own: Entry): { own: Entry; other: Entry } | undefined {
    const candidates = priorityOf(own.route) > 0 ? this.#longer(own) : this.#shorter(own);
    const other = candidates.find(
      (entry) => entry.route.id !== own.route.id && share(entry.route.value.methods, own.route.value.methods),
    );
    return other && { own, other };
  }

  #longer(own: Entry): Entry[] {
    if (isExact(own.uri)) return [];
    const literal = literalPrefix(own.uri);
    const sorted = this.#sorted.get(own.host) ?? [];
    const found: Entry[] = [];
    for (let at = lowerBound(sorted, literal), end = at + LIMIT; at < end; at++) {
      const entry = sorted[at];
      if (!entry?.uri.startsWith(literal)) break;
      const isFirst = groupOf(entry) !== groupOf(own) && covers(own.uri, entry.uri);
      if (isFirst && priorityOf(entry.route) < priorityOf(own.route)) found.push(entry);
    }
    return found;
  }

  #shorter(own: Entry): Entry[] {
    const literal = literalPrefix(own.uri);
    const found: Entry[] = [];
    for (const host of new Set([own.host, ""]))
      for (let length = literal.length; length >= 1; length--)
        for (const entry of this.#groups.get(`${host} ^${literal.slice(0, length)}`) ?? [])
          if (
            groupOf(entry) !== groupOf(own) &&
            covers(entry.uri, own.uri) &&
            priorityOf(entry.route) > priorityOf(own.route)
          )
            found.push(entry);
    return found;
  }
}

function share(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === 0 || other.length === 0 || one.some((method) => other.includes(method));
}

function lowerBound(sorted: readonly Entry[], literal: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.uri ?? "") < literal) low = middle + 1;
    else high = middle;
  }
  return low;
}
