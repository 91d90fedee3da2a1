import type { Diagnostic } from "./diagnostics/diagnostic.js";
import type { Plan, PlanPart } from "./plan/plan-document.js";
import type { SourceLocations } from "./plan/source-locations.js";

/** What a text is known by. */
export interface FileMark {
  /** sha256, hex. */
  hash: string;
  /** Bytes. */
  size: number;
}

/** What a module is known by. */
export interface ModuleMarks {
  typescript: FileMark;
  /** sha256, hex, of the form that the runtime loads. */
  loadable: string;
}

/** A file that a target makes. Targets add what the readers of their files need. */
export interface TargetFile {
  /** Below the output folder, with "/". */
  path: string;
  content: string;
}

/** Hash of a part of the plan. It is asked for, since who compiles knows it already and a second one costs as much as the first. */
export type HashOf = (part: PlanPart) => string;

/** What is known of the texts that a part becomes, where an earlier compile has made them: they need not be made before they are read. */
export type MarksOf = (part: PlanPart) => ModuleMarks | undefined;

/**
 * What a plan is turned into: the plan says what, a target says how. Both functions are pure, and take a plan with parts left
 * out for a smaller plan: what they give for a route does not depend on the other routes.
 */
export interface EmitTarget<File extends TargetFile = TargetFile> {
  /** As findings call it. */
  readonly name: string;
  /** What of the plan it cannot express, each at its place (GW8xxx). */
  lacks(plan: Plan, places: SourceLocations): Diagnostic[];
  /** Total, but for plans of which it lacks something with the severity of an error: those are not emitted. */
  emit(plan: Plan, hashOf: HashOf, marksOf?: MarksOf): File[];
}
