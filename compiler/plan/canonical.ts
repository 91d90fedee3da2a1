import type { UpstreamTable } from "../../runtime/abi/generation.js";
import { canonicalHash, canonicalJson } from "../../runtime/abi/hash.js";
import type { PlannedPipeline } from "./plan.js";
import type { Plan } from "./plan-document.js";

/**
 * The plan as JSON text with sorted keys: the same plan has the same bytes, whatever order its parts were made in. Tables stand
 * under the names of their plugins, beside the other parts.
 */
export function canonicalPlan(plan: Plan | PlannedPipeline): string {
  if (!("tables" in plan)) return canonicalJson(plan);
  const { tables, ...others } = plan;
  return canonicalJson({ ...tables, ...others });
}

/** sha256, hex, of one part of the plan beside its pipeline; `fingerprint.ts` makes the plan's hash of them. */
export function partHash(
  value: UpstreamTable | (Omit<Plan["routes"][number], "pipeline"> & { pipeline: string | null }),
): string {
  return canonicalHash(value);
}

/** sha256, hex, of one pipeline: what its module's head names, so that a module changes only with its own plan. */
export function pipelineHash(pipeline: PlannedPipeline): string {
  return canonicalHash(pipeline);
}
