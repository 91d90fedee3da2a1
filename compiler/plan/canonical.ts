import { createHash } from "node:crypto";
import type { UpstreamTable } from "../../runtime/abi/generation.js";
import type { Plan, PlannedPipeline } from "./plan.js";

/** The plan as JSON text with sorted keys: the same plan has the same bytes, whatever order its parts were made in. */
export function canonicalPlan(plan: Plan | PlannedPipeline): string {
  return canonical(plan);
}

/** sha256, hex, of one part of the plan in canonical form; `fingerprint.ts` makes the plan's hash of them. */
export function partHash(value: Plan["routes"][number] | PlannedPipeline | UpstreamTable): string {
  return sha256(canonical(value));
}

/** sha256, hex, of one pipeline: what its module's head names, so that a module changes only with its own plan. */
export function pipelineHash(pipeline: PlannedPipeline): string {
  return sha256(canonical(pipeline));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** JSON with keys in code-unit order and properties that are undefined left out. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(",")}}`;
}
