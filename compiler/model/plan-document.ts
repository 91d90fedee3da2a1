import type { RouterRow, UpstreamTable } from "../../runtime/abi/generation.js";
import type { PluginTables } from "../../runtime/abi/plugin-tables.js";
import type { ConfigPath, PlannedPipeline } from "./plan.js";
import type { MetadataPlan } from "./record-plan.js";

/** Behaviour of the gateway as plain data: `gwc plan` prints it, emit targets turn it into code or prose. */
export interface Plan {
  version: 1;
  routes: { row: RouterRow; origin: ConfigPath; pipeline: PlannedPipeline | null }[];
  globalRules: PlannedPipeline[];
  /** By plugin; absent if there is none. */
  pluginMetadata?: MetadataPlan[];
  upstreams: UpstreamTable[];
  /** Tables for services of plugins; absent if there are none. */
  tables?: PluginTables;
}

export const pipelinesOf = ({ globalRules, routes }: Plan): PlannedPipeline[] => [
  ...globalRules,
  ...routes.flatMap(({ pipeline }) => pipeline ?? []),
];

/** Part with its own hash, from which one file is made and from nothing else. */
export type PlanPart = PlannedPipeline | MetadataPlan;

export function planOf(parts: Partial<Plan>): Plan {
  return { version: 1, routes: [], globalRules: [], upstreams: [], ...parts };
}
