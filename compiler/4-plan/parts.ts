import type { RouterRow } from "../../runtime/abi/generation.js";
import { canonicalHash } from "../../runtime/abi/hash.js";
import { isEmptyTable, type PluginTable } from "../../runtime/abi/plugin-tables.js";
import { tableOwner } from "../certificates/table.js";
import { configPath } from "../model/config-path.js";
import type { Report } from "../model/diagnostic.js";
import type { Plan } from "../model/plan.js";
import type { PlanSettings } from "../model/plan-settings.js";
import type { ResolvedRoute } from "../model/resolved.js";
import type { ResourceLists } from "../plugin/contributions.js";
import { hasMatch, planRoute } from "./pipeline.js";
import { DEFAULT_SETTINGS } from "./plan-settings.js";
import { SecretKeeper } from "./secret.js";

export type PlannedRoute = Plan["routes"][number];

/** Plans one route: its router row and, if it does more than forward, its pipeline. */
export function plannedRoute(
  route: ResolvedRoute,
  report: Report,
  secrets: SecretKeeper = new SecretKeeper(),
  settings: PlanSettings = DEFAULT_SETTINGS,
): PlannedRoute {
  const row = routerRow(route);
  const pipeline = planRoute(route, row, { report, secrets, settings });
  const moduleId = pipeline && `route:${route.id}`;
  return {
    row: { ...row, moduleId, hasMatch: pipeline !== null && hasMatch(pipeline) },
    origin: configPath({ kind: "routes", id: route.id }),
    pipeline,
  };
}

/** Hash of a route for the plan's hash. A pipeline enters by its hash, which its module needs as well. */
export const routeHash = (
  { row, origin }: Omit<PlannedRoute, "pipeline">,
  pipeline: string | undefined,
): string => canonicalHash({ row, origin, pipeline: pipeline ?? null });

/** Returns the router row of a route without its module. */
export function routerRow(route: ResolvedRoute): RouterRow {
  return {
    id: route.id,
    ...(route.name !== undefined && { name: route.name }),
    ...(route.serviceId !== undefined && { serviceId: route.serviceId }),
    ...(route.serviceName !== undefined && { serviceName: route.serviceName }),
    hosts: route.hosts,
    uris: route.uris,
    methods: route.methods,
    remoteAddrs: route.remoteAddrs,
    priority: route.priority,
    order: route.order,
    moduleId: null,
    hasMatch: false,
    upstream: route.upstream,
    ...(route.unavailable !== undefined && { unavailable: route.unavailable }),
    ...(route.timeout && { timeout: route.timeout }),
    enableWebsocket: route.enableWebsocket,
  };
}

/**
 * Plans the table that a plugin's service receives; texts of secrets stay with `secrets`.
 * @returns undefined if the table is empty
 */
export function planTable(
  plugin: string,
  resources: ResourceLists,
  secrets: SecretKeeper,
): PluginTable | undefined {
  const table = tableOwner(plugin)?.table?.plan(
    resources,
    (text, place, span) => secrets.reference(text, place, span, `${plugin}:`).reference,
  );
  return isEmptyTable(table) ? undefined : table;
}

export function tableHash(plugin: string, table: PluginTable): string {
  return tableOwner(plugin)?.table?.hash?.(table) ?? canonicalHash(table);
}
