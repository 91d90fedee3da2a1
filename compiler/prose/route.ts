import type { PlannedPipeline, Step, StepPhase } from "../plan/plan.js";
import type { Plan } from "../plan/whole.js";
import { findPlugin } from "../plugin/registry.js";
import { conditionWords } from "./words.js";

/** What stands in front of the sentences of a phase. */
const WHEN: Readonly<Record<StepPhase, string>> = {
  rewrite: "When a request comes",
  access: "Before it goes upstream",
  headerFilter: "When the response comes back",
  acknowledge: "Before the last byte of the response leaves",
  log: "Afterwards",
};
const PHASES = Object.keys(WHEN) as StepPhase[];

/** One route in sentences; the same plan gives the same text. */
export interface DescribedRoute {
  id: string;
  origin: string;
  /** Which requests it answers, and where they go. */
  takes: string[];
  phases: { when: string; sentences: string[] }[];
}

/**
 * What a route does, global rules included, as its plan says: a target of the plan like the code that runs, for people.
 * @returns undefined when there is no such route
 */
export function describeRoute(plan: Plan, id: string): DescribedRoute | undefined {
  const planned = plan.routes.find(({ row }) => row.id === id);
  if (planned === undefined) return undefined;
  const pipelines = [...plan.globalRules, ...(planned.pipeline ? [planned.pipeline] : [])];
  const phases = PHASES.map((phase) => ({
    when: WHEN[phase],
    sentences: pipelines.flatMap((pipeline) => sentencesOf(pipeline, phase)),
  }));
  return {
    id,
    origin: planned.origin,
    takes: takesOf(planned),
    phases: phases.filter(({ sentences }) => sentences.length > 0),
  };
}

function takesOf({ row, pipeline }: Plan["routes"][number]): string[] {
  const { hosts, uris, methods, remoteAddrs, upstream, unavailable } = row;
  const what = methods.length === 0 ? "requests of any method" : methods.join(", ");
  const host = hosts.length === 0 ? "any host" : hosts.join(", ");
  const conditions = [
    ...(remoteAddrs.length > 0 ? [`the client is in ${remoteAddrs.join(", ")}`] : []),
    ...(pipeline?.match ? [conditionWords(pipeline.match)] : []),
  ];
  const where = upstream === null ? "They go to no upstream" : `They go to upstream ${upstream}`;
  return [
    `It takes ${what} for ${uris.join(", ")} on ${host}${conditions.length > 0 ? `, if ${conditions.join(" and ")}` : ""}.`,
    unavailable === undefined
      ? `${where}.`
      : `Every one of them is answered ${unavailable}: what holds its plugins is missing.`,
  ];
}

function sentencesOf(pipeline: PlannedPipeline, phase: StepPhase): string[] {
  return pipeline.steps.filter((step) => step.phase === phase).flatMap((step) => ofStep(step, pipeline));
}

function ofStep(step: Step, { kind, id, resources = [] }: PlannedPipeline): string[] {
  const plugin = findPlugin(step.plugin);
  const kept = resources.find((resource) => resource.plugin === step.plugin)?.data;
  const guard = plugin?.guard?.(step)?.condition;
  const conditions = [step.filter, guard ?? null].filter((one) => one !== null).map(conditionWords);
  const only = conditions.length === 0 ? "" : `, if ${conditions.join(" and ")}`;
  const rule = kind === "global_rule" ? ` of global rule ${id}` : "";
  return (plugin?.describe(step, kept) ?? []).map((said) => `${step.plugin}${rule} ${said}${only}.`);
}
