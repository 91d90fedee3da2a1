import type { Delta } from "../../runtime/abi/generation.js";
import type { Inventory } from "../3-resolve/inventory.js";
import type { PlannedRoute } from "../4-plan/parts.js";
import type { CompiledState } from "../compilation/state.js";
import { type Plan, planOf } from "../model/plan.js";
import type { Resource } from "../model/resource.js";
import type { RedactedTexts } from "../secrets/redacted-texts.js";
import { OverlapIndex } from "./overlap.js";

/** Maximum routes that are compared and named; further ones are only counted. */
export const MAX_ROUTES = 100;
/** Maximum routes that may compete for requests of those. */
const MAX_OTHERS = 500;
/** Maximum consumers whose keys are tried. */
const MAX_CLIENTS = 50;

/** State reduced to the parts that the draft affects. */
export interface DraftedSide {
  plan: Plan;
  clients: Pick<Resource, "kind" | "value">[];
  secrets: ReadonlyMap<string, string>;
}

/** Write that is compiled but not committed. Plain data, for another thread. */
export interface Drafted {
  before: DraftedSide;
  after: DraftedSide;
  /** Routes whose compiled form changes, that of the written resource first; at most `MAX_ROUTES`. */
  touched: { id: string; name: string | null }[];
  total: number;
  all: boolean;
  /** True if routes of a build run as well, whose plan is not kept. */
  ofBuild: boolean;
  deployment: unknown;
  hidden: RedactedTexts;
}

export interface Touched {
  routes: Set<string>;
  upstreams: Set<string>;
  tables: Set<string>;
  all: boolean;
}

/** Finds routes by their modules, their router rows, and the upstreams that they use. */
export function touchedBy(delta: Delta, states: readonly Pick<CompiledState, "routes">[]): Touched {
  const moduleIds = [...delta.modules.put.map(({ moduleId }) => moduleId), ...delta.modules.remove];
  const upstreams = new Set([...delta.upstreams.put.map(({ key }) => key), ...delta.upstreams.remove]);
  const routes = new Set([
    ...delta.routes.put.map(({ id }) => id),
    ...delta.routes.remove,
    ...moduleIds.flatMap((moduleId) =>
      moduleId.startsWith("route:") ? [moduleId.slice("route:".length)] : [],
    ),
  ]);
  if (upstreams.size > 0)
    for (const state of states)
      for (const [id, { row }] of state.routes)
        if (row.upstream !== null && upstreams.has(row.upstream)) routes.add(id);
  const all =
    delta.globalRules !== undefined || moduleIds.some((moduleId) => moduleId.startsWith("global_rule:"));
  return { routes, upstreams, tables: new Set(Object.keys(delta.tables ?? {})), all };
}

export function inOrder(ids: Iterable<string>, first?: string): string[] {
  const sorted = [...ids].sort();
  return first !== undefined && sorted.includes(first)
    ? [first, ...sorted.filter((id) => id !== first)]
    : sorted;
}

/** Copy of routes, since the state changes later. */
export type Routes = ReadonlyMap<string, PlannedRoute>;

/** Routes that may compete for requests of routes whose order or matching changes. */
export function othersOf(ids: readonly string[], before: Routes, after: Routes): Set<string> {
  const moved = ids.flatMap((id) => {
    const [old, fresh] = [before.get(id), after.get(id)];
    return placeOf(old) === placeOf(fresh) ? [] : [old, fresh].filter((form) => form !== undefined);
  });
  const others = new Set<string>();
  if (moved.length === 0) return others;
  const competitors = new OverlapIndex([...after.values(), ...moved]);
  for (const form of moved)
    for (const { row } of competitors.of(form).routes) if (others.size < MAX_OTHERS) others.add(row.id);
  return others;
}

/** Key of all settings that decide which requests a route receives. */
const placeOf = (route: PlannedRoute | undefined): string | undefined => {
  if (route === undefined) return undefined;
  const { hosts, uris, methods, remoteAddrs, priority, order } = route.row;
  return JSON.stringify([hosts, uris, methods, remoteAddrs, priority, order, route.pipeline?.match ?? null]);
};

export interface StateParts extends Pick<CompiledState, "rules" | "metadata" | "tables" | "pluginTables"> {
  routes: Routes;
}

/** Affected routes, with the parts that their requests pass. */
export function sideOf(state: StateParts, ids: readonly string[], { upstreams, tables }: Touched): Plan {
  const routes = inOrder(new Set(ids)).flatMap((id) => state.routes.get(id) ?? []);
  const keys = new Set([...upstreams, ...routes.flatMap(({ row }) => row.upstream ?? [])]);
  const ofPlugins = [...tables].flatMap((name) => {
    const table = state.pluginTables.get(name);
    return table === undefined ? [] : [[name, table] as const];
  });
  return planOf({
    routes,
    globalRules: [...state.rules.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    pluginMetadata: [...state.metadata.values()],
    upstreams: inOrder(keys).flatMap((key) => state.tables.get(key) ?? []),
    ...(ofPlugins.length > 0 && { tables: Object.fromEntries(ofPlugins) }),
  });
}

export const clientsIn = (inventory: Inventory): DraftedSide["clients"] =>
  [...inventory.all("consumers").values()].slice(0, MAX_CLIENTS).map(({ kind, value }) => ({ kind, value }));
