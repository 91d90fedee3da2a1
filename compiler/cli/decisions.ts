import type { PlannedPipeline, Step } from "../plan/plan.js";
import { findPlugin } from "../plugins/index.js";
import type { Decision } from "../plugins/plugin.js";

/** What was decided about one step. */
export function decisionsOf(step: Step): Decision[] {
  return findPlugin(step.plugin)?.plugin.decisions?.(step) ?? [];
}

/** A line for each decision about the steps of these pipelines: place, pipeline, field and what was decided. */
export function decisionLines(pipelines: readonly (PlannedPipeline | null)[]): string[] {
  return pipelines.flatMap((pipeline) =>
    (pipeline?.steps ?? []).flatMap((step) =>
      decisionsOf(step).map(
        ({ field, origin, text }) =>
          `${origin} ${pipeline?.kind.replace("_", " ")} "${pipeline?.id}" ${step.plugin}.${field} ${text}`,
      ),
    ),
  );
}
