import type { RouterRow, UpstreamTable } from "../../runtime/abi/generation.js";
import type { PluginTables } from "../../runtime/abi/plugin-tables.js";
import type { MetadataPlan } from "../log/plan.js";
import type { ConfigPath, PlannedPipeline } from "./plan.js";

/** What the gateway will do, as plain data: `gwc plan` prints it, targets turn it into code or prose. */
export interface Plan {
  version: 1;
  routes: { row: RouterRow; origin: ConfigPath; pipeline: PlannedPipeline | null }[];
  globalRules: PlannedPipeline[];
  /** By plugin; absent when there is none. */
  pluginMetadata?: MetadataPlan[];
  upstreams: UpstreamTable[];
  /** For services of plugins; absent when there is none. */
  tables?: PluginTables;
}

/** All pipelines, global rules first. */
export const pipelinesOf = ({ globalRules, routes }: Plan): PlannedPipeline[] => [
  ...globalRules,
  ...routes.flatMap(({ pipeline }) => pipeline ?? []),
];

/** What has a hash of its own: a file can be made of it and of nothing else. */
export type PlanPart = PlannedPipeline | MetadataPlan;

/** A plan of these parts alone. */
export function planOf(parts: Partial<Plan>): Plan {
  return { version: 1, routes: [], globalRules: [], upstreams: [], ...parts };
}
