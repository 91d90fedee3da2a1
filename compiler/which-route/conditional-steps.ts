import type { TracePhase, TraceStep } from "../../runtime/abi/trace.js";
import type { CompiledState } from "../compilation/state.js";
import { settingsOf } from "../model/config-path.js";
import type { PlannedPipeline, Step } from "../model/plan.js";
import { findPlugin } from "../plugin/registry.js";
import { conditionWords } from "../prose/words.js";

/** Includes the steps that a condition skipped. */
export function withConditions(
  phase: TracePhase,
  state: Pick<CompiledState, "routes" | "rules">,
): TraceStep[] {
  const planned = (pipelineOf(phase.owner, state)?.steps ?? []).filter((step) => step.phase === phase.phase);
  const steps = phase.steps.map((step) => {
    const its = planned.filter(({ origin }) => settingsOf(origin) === step.address);
    return { ...step, condition: wordsOf(its) };
  });
  let at = 0;
  for (const step of planned) {
    const address = settingsOf(step.origin);
    const found = steps.findIndex((one) => one.address === address);
    // Steps behind a local reply never run.
    if (found >= 0 && steps[found]?.changes.some(({ what }) => what === "answer")) break;
    const words = found >= 0 ? null : wordsOf([step]);
    if (found >= 0) at = found + 1;
    if (words === null) continue;
    steps.splice(at, 0, {
      plugin: step.plugin,
      address,
      place: address,
      us: 0,
      condition: words,
      changes: [],
    });
    at += 1;
  }
  return steps;
}

function pipelineOf(
  owner: string,
  { routes, rules }: Pick<CompiledState, "routes" | "rules">,
): PlannedPipeline | null | undefined {
  const id = owner.slice(owner.indexOf("/") + 1);
  return owner.startsWith("routes/") ? routes.get(id)?.pipeline : rules.get(id);
}

function wordsOf(steps: readonly Step[]): string | null {
  const conditions = steps.flatMap((step) => {
    const guard = findPlugin(step.plugin)?.guard?.(step)?.condition;
    return [step.filter ?? [], guard ?? []].flat();
  });
  const words = conditions.filter(({ kind }) => kind !== "always").map(conditionWords);
  return words.length === 0 ? null : [...new Set(words)].join("; ");
}
