import { PHASES } from "../../runtime/abi/route-module.js";
import { decisionsOf } from "./decisions.js";
import type { PlannedPipeline, StepPhase } from "./plan.js";
import type { SourceLocations } from "./source-locations.js";

/** A step of a pipeline with what is told of it. */
export interface RunningStep {
  plugin: string;
  phase: StepPhase;
  /** Address of what it was made of. */
  address: string;
  /** Where that stands, as `Places.text` has it. */
  origin: string;
  /** Pipeline that runs it: "route shop". */
  from: string;
  /** What was decided about it, in words. */
  decisions: string[];
}

/** Steps in the order in which they run, phase by phase; of one phase as the pipelines are given, global rules first. */
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
