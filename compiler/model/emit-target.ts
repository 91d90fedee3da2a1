import type { Diagnostic } from "./diagnostic.js";
import type { Plan, PlanPart } from "./plan.js";
import type { SourceLocations } from "./source-locations.js";

export interface FileHash {
  /** SHA-256, hex. */
  hash: string;
  /** Size in bytes. */
  size: number;
}

export interface TargetFile {
  /** Relative to the output folder, with "/". */
  path: string;
  content: string;
}

/** A parameter, since callers have the hash already and computing it again costs as much as before. */
type HashOf = (part: PlanPart) => string;

/**
 * Output format of a plan. Both functions are pure and accept a plan with parts left out: the result for a
 * route does not depend on the other routes.
 */
export interface EmitTarget<File extends TargetFile = TargetFile> {
  readonly name: string;
  /** Reports parts that the target cannot express, each with its location (GW8xxx). */
  lacks(plan: Plan, places: SourceLocations): Diagnostic[];
  /** Emits a plan for which `lacks` reports no error. */
  emit(plan: Plan, hashOf: HashOf): File[];
}
