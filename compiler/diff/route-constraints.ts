import type { RouterRow } from "../../runtime/abi/generation.js";
import { canonicalJson } from "../../runtime/abi/hash.js";
import type { PlannedRoute } from "../4-plan/parts.js";
import { conditionConstraints } from "./condition-constraints.js";
import { trafficEffect } from "./effect.js";
import { ANY_CLIENT, ANY_HOST, filledPath, merged, type SampleConstraints } from "./sample-constraints.js";

const MOST = 160;
/** Maximum entries of a list: another 1,000 hosts show nothing new, and are not searched. */
const OF_A_LIST = 12;

const OTHER_CLIENT = "198.51.100.7";
const METHODS = ["GET", "POST", "DELETE"];

/** Texts for wildcards of patterns, the simplest first. */
const FILLINGS = ["x", "1", "", "x/y"];

/** Returns /orders/x for `/orders/:id`. */
function pathsOf(uri: string): string[] {
  const filled = FILLINGS.map((rest) => {
    const segment = rest.includes("/") || rest === "" ? "x" : rest;
    return filledPath(uri, ({ kind }) => (kind === "rest" ? rest : segment));
  });
  return [...new Set(filled)];
}

const pathFacts = (pattern: string): SampleConstraints[] =>
  pathsOf(pattern).map((path) => ({ path, pattern }));

function hostOf(entry: string): string {
  if (entry === "*") return ANY_HOST;
  if (!entry.startsWith("*")) return entry;
  return entry.startsWith("*.") ? `www${entry.slice(1)}` : `www${entry.slice(1)}`;
}

const addressOf = (entry: string) => entry.replace(/\/.*/, "");

/** Puts values first that the other side lacks: they are the likeliest to show a difference. */
function ordered(own: readonly string[], other: readonly string[] = []): string[] {
  const alone = own.filter((value) => !other.includes(value));
  return [...alone, ...own.filter((value) => other.includes(value))].slice(0, OF_A_LIST);
}

/**
 * Yields all first values, then one other value at a time, then two. Later lists override earlier ones.
 * @param first index of the list whose other values come first
 */
function* combinations(
  lists: readonly (readonly SampleConstraints[])[],
  first: number,
): Generator<SampleConstraints> {
  const base = lists.map((list) => list[0] ?? {});
  const whole = (changed: ReadonlyMap<number, SampleConstraints>) =>
    base.map((facts, i) => changed.get(i) ?? facts).reduce(merged, {});
  yield whole(new Map());
  const order = [...lists.entries()].sort(([a], [b]) => Number(b === first) - Number(a === first));
  for (const [i, list] of order) for (const facts of list.slice(1)) yield whole(new Map([[i, facts]]));
  for (const [i, list] of lists.entries())
    for (const [j, others] of lists.entries())
      if (i < j)
        for (const facts of list.slice(1))
          for (const more of others.slice(1))
            yield whole(
              new Map([
                [i, facts],
                [j, more],
              ]),
            );
}

function distinct(all: readonly SampleConstraints[]): SampleConstraints[] {
  return [...new Map(all.map((facts) => [canonicalJson(facts), facts])).values()];
}

/** Puts constraints first that the other configuration may treat differently. */
export function routeConstraints(route: PlannedRoute, other?: PlannedRoute): SampleConstraints[] {
  const { row, pipeline } = route;
  const against: Partial<RouterRow> = other?.row ?? {};
  const match = pipeline?.match ?? null;
  const otherMatch = other?.pipeline?.match ?? null;
  const hosts = row.hosts.length > 0 ? ordered(row.hosts, against.hosts) : ["*", ...(against.hosts ?? [])];
  const paths = ordered(row.uris, against.uris).flatMap(pathFacts);
  const methods = row.methods.length > 0 ? ordered(row.methods, against.methods) : METHODS;
  const clients =
    row.remoteAddrs.length > 0
      ? ordered(row.remoteAddrs, against.remoteAddrs).map(addressOf)
      : [ANY_CLIENT, ...(against.remoteAddrs ?? []).map(addressOf), OTHER_CLIENT];
  const isSameMatch = canonicalJson(trafficEffect(match)) === canonicalJson(trafficEffect(otherMatch));
  const holding = conditionConstraints(match, true);
  const apart = conditionConstraints(otherMatch, false);
  const conditions = [
    ...(otherMatch === null ? [] : holding.flatMap((facts) => apart.map((more) => merged(more, facts)))),
    ...holding,
    ...holding.flatMap((facts) => conditionConstraints(otherMatch, true).map((more) => merged(more, facts))),
  ];
  const lists: SampleConstraints[][] = [
    paths,
    hosts.slice(0, OF_A_LIST).map((host) => ({ host: hostOf(host) })),
    methods.map((method) => ({ method })),
    clients.slice(0, OF_A_LIST).map((client) => ({ client })),
    distinct(conditions).slice(0, OF_A_LIST),
  ];
  const found: SampleConstraints[] = [];
  // Both sides may have the same methods and clients, so conditions decide between them.
  for (const facts of combinations(lists, isSameMatch ? 0 : lists.length - 1))
    if (found.push(facts) >= MOST) break;
  return found;
}

export function overlapConstraints(a: PlannedRoute, b: PlannedRoute): SampleConstraints[] {
  const methods = a.row.methods.filter((method) => b.row.methods.includes(method));
  const method = methods[0] ?? a.row.methods[0] ?? b.row.methods[0] ?? "GET";
  const client = [...a.row.remoteAddrs, ...b.row.remoteAddrs].map(addressOf)[0] ?? ANY_CLIENT;
  const hosts = [...ordered(a.row.hosts), ...ordered(b.row.hosts)].map(hostOf);
  const paths = [a, b].flatMap(({ row }) =>
    row.uris.slice(0, 3).flatMap((uri) => pathFacts(uri).slice(0, 2)),
  );
  const conditions = conditionConstraints(a.pipeline?.match ?? null, true).flatMap((facts) =>
    conditionConstraints(b.pipeline?.match ?? null, true).map((more) => merged(facts, more)),
  );
  return paths.flatMap((path) =>
    (hosts.length === 0 ? [ANY_HOST] : hosts.slice(0, 4)).flatMap((host) =>
      conditions.slice(0, 2).map((facts) => merged(facts, { ...path, host, method, client })),
    ),
  );
}
