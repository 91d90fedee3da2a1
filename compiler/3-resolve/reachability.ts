import { appendTo } from "../model/append-to.js";
import { covers, literalPrefix } from "../model/path-patterns.js";
import type { ResolvedRoute } from "../model/resolved.js";
export type MatchFields = Pick<
  ResolvedRoute,
  "id" | "hosts" | "uris" | "methods" | "remoteAddrs" | "priority" | "order"
> & {
  /** JSON; "" for none. */
  vars: string;
};

/** The result references nothing else of the route, which can be freed. */
export function matchFields(route: ResolvedRoute): MatchFields {
  const { id, hosts, uris, methods, remoteAddrs, priority, order } = route;
  // `[]` is always true, like no `vars` at all.
  const vars = route.vars && route.vars.value.length > 0 ? JSON.stringify(route.vars.value) : "";
  return { id, hosts, uris, methods, remoteAddrs, priority, order, vars };
}

/** Routes that always match before it, for each of its host and path pairs. */
export interface Shadow {
  /** Distinct routes, in the order in which the router tries them. */
  by: MatchFields[];
  /** A single route matches the same: only the order of registration decides. */
  equal: boolean;
}

interface Entry {
  route: MatchFields;
  uri: string;
}

/** Entries of one host and one literal path, by the text of `vars` ("" for none). */
type Bucket = Map<string, Entry[]>;

/**
 * Maximum routes compared in one bucket: 10,000 routes that differ only in address would cost n² comparisons.
 * A shadow beyond is not reported.
 */
const LIMIT = 500;

/**
 * Finds shadowed routes by the rules of the router (reference 2.2). Within one host, exact paths come first,
 * then longer literal prefixes. Routes compete only if both are equal, so an index by the pair finds every
 * overlapping route. Updated one route at a time.
 */
export class Reachability {
  readonly #buckets: Map<string, Bucket>;
  readonly #routes: Map<string, MatchFields>;
  #anyHostPatterns: number;
  /** Keys of buckets that no copy shares; undefined without a copy. */
  #ownCached: Set<string> | undefined;

  constructor(before?: Reachability) {
    this.#buckets = new Map(before ? before.#buckets : []);
    this.#routes = new Map(before ? before.#routes : []);
    this.#anyHostPatterns = before ? before.#anyHostPatterns : 0;
    if (!before) return;
    this.#ownCached = new Set();
    before.#ownCached = new Set();
  }

  get(id: string): MatchFields | undefined {
    return this.#routes.get(id);
  }

  put(route: MatchFields): MatchFields | undefined {
    const previous = this.remove(route.id);
    this.#routes.set(route.id, route);
    const { vars } = route;
    for (const [host, uri] of pairs(route)) {
      appendTo(this.#ownBucket(bucketKey(host, uri)), vars, { route, uri });
      if (host === "*") this.#anyHostPatterns++;
    }
    return previous;
  }

  remove(id: string): MatchFields | undefined {
    const route = this.#routes.get(id);
    if (!route) return undefined;
    this.#routes.delete(id);
    const { vars } = route;
    for (const [host, uri] of pairs(route)) {
      const key = bucketKey(host, uri);
      const bucket = this.#ownBucket(key);
      const rest = bucket.get(vars)?.filter((entry) => entry.route.id !== id) ?? [];
      if (rest.length > 0) bucket.set(vars, rest);
      else bucket.delete(vars);
      if (bucket.size === 0) this.#buckets.delete(key);
      if (host === "*") this.#anyHostPatterns--;
    }
    return route;
  }

  #ownBucket(key: string): Bucket {
    const found = this.#buckets.get(key);
    if (found && (this.#ownCached === undefined || this.#ownCached.has(key))) return found;
    const bucket: Bucket = new Map([...(found ?? [])].map(([vars, entries]) => [vars, [...entries]]));
    this.#buckets.set(key, bucket);
    this.#ownCached?.add(key);
    return bucket;
  }

  /** @returns undefined if some request reaches the route @param uris the paths to examine */
  shadowOf(route: MatchFields, uris: readonly string[] = route.uris): Shadow | undefined {
    const by = new Map<string, MatchFields>();
    const { vars } = route;
    for (const [host, uri] of pairs({ ...route, uris: [...uris] })) {
      const found = this.#shadowOfPair(route, vars, host, uri);
      if (!found) return undefined;
      for (const entry of found) by.set(entry.route.id, entry.route);
    }
    const shadows = [...by.values()];
    return { by: shadows, equal: shadows.length === 1 && shadows.every((other) => sameMatch(other, route)) };
  }

  /** Routes that adding `route` may shadow, or that removing it may free. */
  competitors(route: MatchFields): MatchFields[] {
    const found = new Map<string, MatchFields>();
    for (const [host, uri] of pairs(route))
      for (const entries of this.#buckets.get(bucketKey(host, uri))?.values() ?? [])
        for (const entry of entries.slice(0, LIMIT))
          if (entry.route.id !== route.id) found.set(entry.route.id, entry.route);
    return [...found.values()];
  }

  #shadowOfPair(route: MatchFields, vars: string, host: string, uri: string): Entry[] | undefined {
    const subject: Entry = { route, uri };
    const earlier: Entry[] = [];
    const consider = (key: string, compete: boolean): boolean => {
      const bucket = this.#buckets.get(key);
      if (!bucket) return false;
      for (const text of vars === "" ? [""] : ["", vars])
        for (const entry of bucket.get(text)?.slice(0, LIMIT) ?? []) {
          if (entry.route.id === route.id) continue;
          if ((compete && !precedes(entry, subject)) || !covers(entry.uri, uri)) continue;
          if (!subset(route.remoteAddrs, entry.route.remoteAddrs)) continue;
          earlier.push(entry);
          if (entry.route.methods.length === 0) return true;
        }
      return false;
    };
    const keys = host === "" && this.#anyHostPatterns > 0 ? anyHostKeys(uri) : [];
    const whole = keys.some((key) => consider(key, false)) || consider(bucketKey(host, uri), true);
    if (whole) return earlier.slice(-1);
    return methodsCovered(route, earlier) ? earlier : undefined;
  }
}

function* pairs(route: MatchFields): Generator<[host: string, uri: string]> {
  for (const host of route.hosts.length > 0 ? route.hosts : [""])
    for (const uri of route.uris) yield [host, uri];
}

function bucketKey(host: string, uri: string): string {
  const literal = literalPrefix(uri);
  return `${host} ${literal.length === uri.length ? "=" : "^"}${literal}`;
}

/** Buckets of the host "*" whose patterns could cover `uri`: that host comes before routes without a host. */
function anyHostKeys(uri: string): string[] {
  const literal = literalPrefix(uri);
  const keys = literal.length === uri.length ? [`* =${uri}`] : [];
  for (let length = literal.length; length >= 1; length--) keys.push(`* ^${literal.slice(0, length)}`);
  return keys;
}

/** Orders by priority descending, then the longer pattern, then the order of registration. */
function precedes(a: Entry, b: Entry): boolean {
  return (
    (b.route.priority - a.route.priority ||
      Buffer.byteLength(b.uri) - Buffer.byteLength(a.uri) ||
      a.route.order - b.route.order ||
      (a.route.id < b.route.id ? -1 : 1)) < 0
  );
}

/** Compares addresses as text; an empty list allows all. */
function subset(inner: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0) return true;
  return inner.length > 0 && inner.every((address) => outer.includes(address));
}

function methodsCovered(route: MatchFields, earlier: readonly Entry[]): boolean {
  if (route.methods.length === 0 || earlier.length === 0) return false;
  return route.methods.every((method) => earlier.some((entry) => entry.route.methods.includes(method)));
}

function sameMatch(a: MatchFields, b: MatchFields): boolean {
  const text = (route: MatchFields) =>
    JSON.stringify([
      [...route.hosts].sort(),
      [...route.uris].sort(),
      [...route.methods].sort(),
      [...route.remoteAddrs].sort(),
      route.priority,
      route.vars,
    ]);
  return text(a) === text(b);
}
