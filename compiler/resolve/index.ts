import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { tableOwners } from "../plan/table-owners.js";
import { checkCombinations } from "./combinations.js";
import { checkConsumers } from "./consumers.js";
import { checkPartialDuplicates, withoutDuplicates } from "./duplicates.js";
import { checkGlobalRules, resolveGlobalRule } from "./global-rule.js";
import { type Absence, Inventory } from "./inventory.js";
import { checkPartialResources } from "./partial-resource.js";
import { checkResources } from "./plugin-resources.js";
import { checkPriorities } from "./priorities.js";
import { matchFields, Reachability } from "./reachability.js";
import type { ResolveContext, ResolvedConfiguration } from "./resolved.js";
import type { Kind, Resource } from "./resource.js";
import { resolveRoute, resolveService } from "./route.js";
import { shadowDiagnostics } from "./shadows.js";
import { asStandaloneRoute } from "./standalone-route.js";
import { STORED_ORDER, tieOrders } from "./ties.js";
import { checkUnused } from "./unused.js";
import { upstreamTable } from "./upstream.js";
import type { RouteValue, ServiceValue, UpstreamValue } from "./values.js";

export type { ResolveContext } from "./resolved.js";

export interface Resolution {
  /** Sorted by id, without routes with `status: 0`. */
  configuration: ResolvedConfiguration;
  /**
   * Routes with `status: 0`, and shared plugins in the form of routes, so that the plan step checks them too.
   */
  checkOnly: ResolvedConfiguration["routes"];
  diagnostics: Diagnostic[];
}

/**
 * Runs step 3: replaces ids by resources, merges layers to one plugin list per route, and checks rules
 * between resources.
 */
export function resolve(
  resources: readonly Resource[],
  context: ResolveContext,
  absences: readonly { kind: Kind; id: string; absence: Absence }[] = [],
  partial: readonly Resource[] = [],
  now?: number,
): Resolution {
  const diagnostics: Diagnostic[] = [];
  const report = (finding: Diagnostic) => diagnostics.push(finding);
  const inventory = new Inventory(withoutDuplicates(resources, report));
  for (const { kind, id, absence } of absences) inventory.setAbsence(kind, id, absence);
  const configuration: ResolvedConfiguration = {
    routes: [],
    globalRules: [],
    pluginMetadata: [],
    upstreams: sharedTables(inventory, context, report),
    ofPlugins: tableOwners().map((plugin) => ({
      plugin: plugin.name,
      resources: checkResources(plugin, inventory, context, now, report),
    })),
  };
  const checkOnly: ResolvedConfiguration["routes"] = [];
  const { routes, globalRules, upstreams } = configuration;
  for (const kind of ["services", "plugin_configs"] as const)
    for (const resource of inventory.all(kind).values())
      checkOnly.push(asStandaloneRoute(resource, inventory, context));
  checkPartialDuplicates(partial, inventory, report);
  checkOnly.push(...checkPartialResources(partial, inventory, context, report));
  const reachability = new Reachability();
  const orders = tieOrders(inventory);
  for (const resource of inventory.all("routes").values()) {
    const order = orders.get(resource.id) ?? STORED_ORDER;
    const resolved = resolveRoute(resource as Resource<RouteValue>, order, inventory, context, report);
    (resolved.enabled ? routes : checkOnly).push(resolved.route);
    if (!resolved.enabled) continue;
    if (resolved.table) upstreams.push(resolved.table);
    reachability.put(matchFields(resolved.route));
  }
  for (const rule of inventory.all("global_rules").values())
    globalRules.push(resolveGlobalRule(rule, inventory, context));
  checkGlobalRules(globalRules, report);
  for (const metadata of inventory.all("plugin_metadata").values())
    configuration.pluginMetadata.push(metadata as Resource<Record<string, unknown>>);
  checkConsumers(inventory, context, report);
  const authenticated = [...routes, ...globalRules].some(({ consumers }) => consumers !== undefined);
  checkUnused(inventory, context, authenticated, report);
  checkCombinations(inventory.all("routes").values(), inventory, context, report);
  if (!context.incomplete) checkPriorities(inventory, report);
  for (const route of routes)
    for (const finding of shadowDiagnostics(matchFields(route), reachability, inventory)) report(finding);
  for (const list of [routes, globalRules, configuration.pluginMetadata, checkOnly])
    list.sort((a, b) => (a.id < b.id ? -1 : 1));
  upstreams.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { configuration, checkOnly, diagnostics };
}

/** Returns the tables that routes share: those of upstreams, and of services with an inline upstream. */
function sharedTables(
  inventory: Inventory,
  context: ResolveContext,
  report: (finding: Diagnostic) => void,
): ResolvedConfiguration["upstreams"] {
  const tables = [...inventory.all("upstreams").values()].map((upstream) =>
    resolveUpstream(upstream, report),
  );
  for (const service of inventory.all("services").values()) {
    const table = resolveService(service as Resource<ServiceValue>, inventory, context, report);
    if (table) tables.push(table);
  }
  return tables;
}

export function resolveUpstream(
  resource: Resource,
  report: (diagnostic: Diagnostic) => void,
): ReturnType<typeof upstreamTable> {
  const upstream = resource as Resource<UpstreamValue>;
  return upstreamTable(resource.id, upstream, `upstream "${resource.id}"`, report);
}
