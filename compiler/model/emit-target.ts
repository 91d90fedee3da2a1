import type { Diagnostic } from "./diagnostic.js";
import type { Plan, PlanPart } from "./plan-document.js";
import type { SourceLocations } from "./source-locations.js";

/** Hash and size of a text. */
export interface FileHash {
  /** SHA-256, hex. */
  hash: string;
  /** Size in bytes. */
  size: number;
}

/** Hashes and sizes of a module's forms. */
export interface ModuleMarks {
  typescript: FileHash;
  /** SHA-256, hex, of the form that the runtime loads. */
  loadable: string;
}

/** File that a target generates. Targets add fields for the readers of their files. */
export interface TargetFile {
  /** Path relative to the output folder, with "/". */
  path: string;
  content: string;
}

/**
 * Hash of a part of the plan. A parameter, since callers have it already and computing it again costs as much
 * as before.
 */
export type HashOf = (part: PlanPart) => string;

/**
 * Hashes of the modules of a part that an earlier compile generated: their texts need not be generated before
 * they are read.
 */
export type MarksOf = (part: PlanPart) => ModuleMarks | undefined;

/**
 * Output format of a plan: the plan holds the content, a target its form. Both functions are pure and accept
 * a plan with parts left out: the result for a route does not depend on the other routes.
 */
export interface EmitTarget<File extends TargetFile = TargetFile> {
  /** Name in diagnostics. */
  readonly name: string;
  /** Reports parts of the plan that the target cannot express, each with its location (GW8xxx). */
  lacks(plan: Plan, places: SourceLocations): Diagnostic[];
  /** Emits every plan except those for which `lacks` reports an error: callers must not emit these. */
  emit(plan: Plan, hashOf: HashOf, marksOf?: MarksOf): File[];
}
