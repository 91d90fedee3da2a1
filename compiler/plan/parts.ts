import type { UpstreamTable } from "../../runtime/abi/generation.js";
import type { PluginTable } from "../../runtime/abi/plugin-tables.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { planMetadata } from "../log/metadata.js";
import type { MetadataPlan } from "../log/plan.js";
import type { ResolvedConfiguration, ResolvedRoute } from "../resolve/resolved.js";
import { partHash } from "./canonical.js";
import { configPath } from "./config-path.js";
import { Fingerprint } from "./fingerprint.js";
import { hasMatch, planGlobalRule, planRoute } from "./pipeline.js";
import type { PlannedPipeline } from "./plan.js";
import type { Plan, PlanPart } from "./plan-document.js";
import { DEFAULT_SETTINGS, type PlanSettings } from "./plan-settings.js";
import { planTable, tableHash } from "./plugin-table.js";
import { routerRow } from "./router-row.js";
import { SecretKeeper } from "./secret.js";

type Report = (diagnostic: Diagnostic) => void;
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

/**
 * Runs step 4 for a whole configuration, which is sorted by id. Routes of `checkOnly` are checked and left
 * out of the plan.
 */
export function planConfiguration(
  configuration: ResolvedConfiguration,
  checkOnly: readonly ResolvedRoute[],
  report: Report,
  secrets: SecretKeeper,
  settings: PlanSettings = DEFAULT_SETTINGS,
  planned: typeof plannedRoute = plannedRoute,
): Plan {
  const globalRules: PlannedPipeline[] = [];
  for (const rule of configuration.globalRules) {
    const pipeline = planGlobalRule(rule, { report, secrets, settings });
    if (pipeline) globalRules.push(pipeline);
  }
  for (const route of checkOnly) plannedRoute(route, report, undefined, settings);
  const routes = configuration.routes.map((route) => planned(route, report, secrets, settings));
  const pluginMetadata = configuration.pluginMetadata.map((one) => planMetadata(one.id, one, report));
  const tables = configuration.ofPlugins.flatMap(({ plugin, resources }): [string, PluginTable][] => {
    const table = planTable(plugin, resources, secrets);
    return table === undefined ? [] : [[plugin, table]];
  });
  return {
    version: 1,
    routes,
    globalRules,
    ...(pluginMetadata.length > 0 && { pluginMetadata }),
    upstreams: configuration.upstreams,
    ...(tables.length > 0 && { tables: Object.fromEntries(tables) }),
  };
}

/**
 * Name and hash of a plan part for the plan's hash. A pipeline enters by its hash, which its module needs as
 * well.
 */
export const part = {
  route: ({ row, origin }: PlannedRoute, pipeline: string | undefined): [name: string, hash: string] => [
    `route:${row.id}`,
    partHash({ row, origin, pipeline: pipeline ?? null }),
  ],
  globalRule: ({ id }: PlannedPipeline, pipeline: string): [name: string, hash: string] => [
    `global_rule:${id}`,
    pipeline,
  ],
  pluginMetadata: ({ plugin }: MetadataPlan, hash: string): [name: string, hash: string] => [
    `plugin_metadata:${plugin}`,
    hash,
  ],
  upstream: (table: UpstreamTable): [name: string, hash: string] => [
    `upstream:${table.key}`,
    partHash(table),
  ],
  /** The only part whose name has no colon. */
  table: (plugin: string, table: PluginTable): [name: string, hash: string] => [
    plugin,
    tableHash(plugin, table),
  ],
};

/**
 * Returns the fingerprint of a whole plan; its digest is the plan's hash.
 * @param hashes hashes of pipelines and metadata
 */
export function fingerprint(plan: Plan, hashes: ReadonlyMap<PlanPart, string>): Fingerprint {
  const whole = new Fingerprint();
  for (const planned of plan.routes)
    whole.put(...part.route(planned, planned.pipeline ? hashes.get(planned.pipeline) : undefined));
  for (const pipeline of plan.globalRules)
    whole.put(...part.globalRule(pipeline, hashes.get(pipeline) ?? ""));
  for (const planned of plan.pluginMetadata ?? [])
    whole.put(...part.pluginMetadata(planned, hashes.get(planned) ?? ""));
  for (const table of plan.upstreams) whole.put(...part.upstream(table));
  for (const [plugin, table] of Object.entries(plan.tables ?? {})) whole.put(...part.table(plugin, table));
  return whole;
}
