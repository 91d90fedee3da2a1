import type { UpstreamTable } from "../../runtime/abi/generation.js";
import { canonicalHash, canonicalJson } from "../../runtime/abi/hash.js";
import type { PlannedPipeline } from "../model/plan.js";
import type { Plan } from "../model/plan-document.js";

/**
 * Returns the plan as JSON text with sorted keys: equal plans have equal bytes in whatever order their parts
 * were made. Tables are members under the names of their plugins, next to the other parts.
 */
export function canonicalPlan(plan: Plan | PlannedPipeline): string {
  if (!("tables" in plan)) return canonicalJson(plan);
  const { tables, ...others } = plan;
  return canonicalJson({ ...tables, ...others });
}

/**
 * Returns the SHA-256 (hex) of one plan part without its pipeline; `fingerprint.ts` combines them to the
 * plan's hash.
 */
export function partHash(
  value: UpstreamTable | (Omit<Plan["routes"][number], "pipeline"> & { pipeline: string | null }),
): string {
  return canonicalHash(value);
}

/**
 * Returns the SHA-256 (hex) of one pipeline. The head of its module names it, so that a module changes only
 * with its own plan.
 */
export function pipelineHash(pipeline: PlannedPipeline): string {
  return canonicalHash(pipeline);
}
