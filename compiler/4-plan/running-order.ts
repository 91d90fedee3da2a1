import { PHASES } from "../../runtime/abi/route-module.js";
import type { PlannedPipeline, StepPhase } from "../model/plan.js";
import type { SourceLocations } from "../model/source-locations.js";
import { decisionsOf } from "./decisions.js";

/** Step of a pipeline as it is listed. */
export interface RunningStep {
  plugin: string;
  phase: StepPhase;
  /** Config path of the step. */
  address: string;
  /** Its location, as printed by `SourceLocations.text`. */
  origin: string;
  /** Pipeline that runs it: "route shop". */
  from: string;
  /** Decisions of the compiler about it, in words. */
  decisions: string[];
}

/**
 * Returns the steps in execution order, by phase. Within a phase they follow the order of `pipelines`, global
 * rules first.
 */
export function runningOrder(
  pipelines: readonly (PlannedPipeline | null)[],
  places: Pick<SourceLocations, "text">,
): RunningStep[] {
  const steps = pipelines.flatMap((pipeline) =>
    (pipeline?.steps ?? []).map((step) => ({
      plugin: step.plugin,
      phase: step.phase,
      address: step.origin,
      origin: places.text(step.origin),
      from: `${pipeline?.kind.replace("_", " ")} ${pipeline?.id}`,
      decisions: decisionsOf(step).map(({ field, text }) => `${field} ${text}`),
    })),
  );
  return steps.sort((a, b) => PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase));
}
