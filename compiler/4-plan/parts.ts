import type { UpstreamTable } from "../../runtime/abi/generation.js";
import type { PluginTable } from "../../runtime/abi/plugin-tables.js";
import { configPath } from "../model/config-path.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { PlannedPipeline } from "../model/plan.js";
import type { Plan } from "../model/plan-document.js";
import type { PlanSettings } from "../model/plan-settings.js";
import type { MetadataPlan } from "../model/record-plan.js";
import type { ResolvedRoute } from "../model/resolved.js";
import { partHash } from "./canonical.js";
import { hasMatch, planRoute } from "./pipeline.js";
import { DEFAULT_SETTINGS } from "./plan-settings.js";
import { tableHash } from "./plugin-table.js";
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
