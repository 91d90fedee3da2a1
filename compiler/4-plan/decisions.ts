import { PHASES } from "../../runtime/abi/route-module.js";
import type { Condition, PlannedPipeline, Step, StepPhase } from "../model/plan.js";
import type { SourceLocations } from "../model/source-locations.js";
import type { Decision } from "../plugin/definition.js";
import { findPlugin } from "../plugin/registry.js";

/** Returns the compiler's decisions about one step, by its plugin and for the patterns of its conditions. */
function decisionsOf(step: Step): Decision[] {
  const plugin = findPlugin(step.plugin);
  const guard = plugin?.guard?.(step);
  return [
    ...(step.filter === null ? [] : patternsIn(step.filter, "_meta.filter")),
    // The guard's field name includes the plugin, which is cut off.
    ...(guard ? patternsIn(guard.condition, guard.field.replace(`${step.plugin}.`, "")) : []),
    ...(plugin?.decisions?.(step) ?? []),
  ];
}

/** Returns the compiler's decisions about the match condition of a pipeline. */
export function matchDecisions({ match }: PlannedPipeline): Decision[] {
  return match === null ? [] : patternsIn(match, "vars");
}

/** Returns the engine of each pattern of a condition. */
function patternsIn(condition: Condition, field: string): Decision[] {
  if (condition.kind === "always") return [];
  if (condition.kind !== "compare") return condition.items.flatMap((item) => patternsIn(item, field));
  const { operand, origin, variable, operator } = condition;
  if (operand.kind !== "regex") return [];
  return [{ field: `${field} ${variable} ${operator}`, origin, text: operand.regex.cost }];
}

/** Returns a line for each decision about these pipelines: location, pipeline, field and decision. */
export function decisionLines(
  pipelines: readonly (PlannedPipeline | null)[],
  places: Pick<SourceLocations, "text">,
): string[] {
  return pipelines.flatMap((pipeline) => {
    if (pipeline === null) return [];
    const name = `${pipeline.kind.replace("_", " ")} "${pipeline.id}"`;
    return [
      ...matchDecisions(pipeline).map(
        ({ field, origin, text }) => `${places.text(origin)} ${name} ${field}: ${text}`,
      ),
      ...pipeline.steps.flatMap((step) =>
        decisionsOf(step).map(
          ({ field, origin, text }) => `${places.text(origin)} ${name} ${step.plugin}.${field} ${text}`,
        ),
      ),
    ];
  });
}

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
