import type { Delta } from "../../runtime/abi/generation.js";
import type { CompiledState } from "../incremental/state.js";
import type { PlannedRoute } from "../plan/parts.js";
import { type Plan, planOf } from "../plan/plan-document.js";
import type { Inventory } from "../resolve/inventory.js";
import type { Resource } from "../resolve/resource.js";
import type { RedactedTexts } from "../which-route/redacted-texts.js";
import { OverlapIndex } from "./overlap-index.js";

/** Routes that are compared and named; of more only the number is told. */
export const MAX_ROUTES = 100;
/** Routes that may take requests of those, as far as they are looked at. */
const MAX_OTHERS = 500;
/** Consumers whose keys are tried. */
const MAX_CLIENTS = 50;

/** What runs, or would run with a draft, as far as the draft touches it. */
export interface DraftedSide {
  plan: Plan;
  clients: Pick<Resource, "kind" | "value">[];
  secrets: ReadonlyMap<string, string>;
}

/** A write that is none, compiled beside what runs. Plain data, for another thread. */
export interface Drafted {
  before: DraftedSide;
  after: DraftedSide;
  /** Routes whose compiled form is another one; some at the most, that which is written first. */
  touched: { id: string; name: string | null }[];
  /** How many there are. */
  total: number;
  /** Every request passes what has changed, whatever its route. */
  all: boolean;
  /** Routes of a build run as well, of which no plan is kept. */
  ofBuild: boolean;
  deployment: unknown;
  hidden: RedactedTexts;
}

/** Names of what a delta touches. */
export interface Touched {
  routes: Set<string>;
  upstreams: Set<string>;
  tables: Set<string>;
  all: boolean;
}

/** Routes by their modules, their rows, and the upstreams that they send to. */
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

/** Ids in order, that of a route which is written first. */
export function inOrder(ids: Iterable<string>, first?: string): string[] {
  const sorted = [...ids].sort();
  return first !== undefined && sorted.includes(first)
    ? [first, ...sorted.filter((id) => id !== first)]
    : sorted;
}

/** The routes of a state, which may change later, as they are now. */
export type Routes = ReadonlyMap<string, PlannedRoute>;

/** Ids of routes that may take requests of those whose place among the others is another one. */
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

/** What decides which requests a route gets. */
const placeOf = (route: PlannedRoute | undefined): string | undefined => {
  if (route === undefined) return undefined;
  const { hosts, uris, methods, remoteAddrs, priority, order } = route.row;
  return JSON.stringify([hosts, uris, methods, remoteAddrs, priority, order, route.pipeline?.match ?? null]);
};

/** What of a state is compared. */
export interface StateParts extends Pick<CompiledState, "rules" | "metadata" | "tables" | "pluginTables"> {
  routes: Routes;
}

/** The part of a state that a draft touches, and what its requests meet there. */
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

/** Some consumers, whose keys get requests through to what stands behind authentication. */
export const clientsIn = (inventory: Inventory): DraftedSide["clients"] =>
  [...inventory.all("consumers").values()].slice(0, MAX_CLIENTS).map(({ kind, value }) => ({ kind, value }));
