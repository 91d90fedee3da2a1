import type { BuiltResource } from "../../runtime/abi/build-files.js";
import { planBuilt } from "../compilation/built-plan.js";
import type { Settings } from "../compilation/frontend.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Plan } from "../model/plan.js";

/** Content of a build that its plan follows from. */
export interface PlannedBuild {
  resources: readonly BuiltResource[];
  deployment: unknown;
  /** Text of `plan.json`; undefined if the plan follows from the resources. */
  plan: string | undefined;
}

/** Plan of a build, or the errors for which it cannot be planned again. */
export const planOfBuild = ({ plan, resources, deployment }: PlannedBuild): Plan | Diagnostic[] =>
  plan === undefined ? planBuilt(resources, deployment as Settings["deployment"]) : parsePlan(plan);

const PARTS = ["version", "routes", "globalRules", "pluginMetadata", "upstreams"];

/**
 * Parses `plan.json`, which has the tables of plugins under their names.
 * @throws Error if it is not JSON
 */
function parsePlan(text: string): Plan {
  const entries = Object.entries(JSON.parse(text) as object);
  const tables = entries.filter(([name]) => !PARTS.includes(name));
  const parts = Object.fromEntries(entries.filter(([name]) => PARTS.includes(name)));
  return { ...parts, ...(tables.length > 0 && { tables: Object.fromEntries(tables) }) } as unknown as Plan;
}
