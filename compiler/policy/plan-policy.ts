import type { Diagnostic } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import { locationsOf } from "../model/source-locations.js";
import { checkPatterns, checkResource } from "./check.js";
import type { Policy } from "./policy.js";

/** @param plan the whole plan, or its parts */
export function checkPlanPolicy(
  policy: Policy,
  resources: readonly Resource[],
  plan: unknown,
  report: (finding: Diagnostic) => void,
): void {
  const services = new Map(resources.filter(({ kind }) => kind === "services").map((one) => [one.id, one]));
  for (const resource of resources) checkResource(policy, resource, (id) => services.get(id), report);
  checkPatterns(policy, plan, locationsOf(resources), report);
}
