import { diagnostic } from "../diagnostics/report.js";
import { type Diagnostic, startOfFile } from "../model/diagnostic.js";
import type { EmitTarget, TargetFile } from "../model/emit-target.js";
import { fileName, type Plan, type PlannedPipeline, type Step, type StepPhase } from "../model/plan.js";
import type { SourceLocations } from "../model/source-locations.js";
import { findPlugin } from "../plugin/registry.js";
import { conditionWords } from "./words.js";

/** Words in front of the sentences of a phase. */
const WHEN: Readonly<Record<StepPhase, string>> = {
  rewrite: "When a request comes",
  access: "Before it goes upstream",
  headerFilter: "When the response comes back",
  acknowledge: "Before the last byte of the response leaves",
  log: "Afterwards",
};
const PHASES = Object.keys(WHEN) as StepPhase[];

/** Route in sentences; equal plans have equal texts. */
export interface DescribedRoute {
  id: string;
  origin: string;
  /** Matching requests, and their upstream. */
  takes: string[];
  phases: { when: string; sentences: string[] }[];
}

/** Route in sentences: `content` for people, `route` for programs. */
export interface RouteProse extends TargetFile {
  route: DescribedRoute;
}

/** Describes routes for people: a file each, with global rules, in the words of the plugins. */
export const prose = {
  name: "prose",
  lacks: (plan: Plan, places: SourceLocations) =>
    pipelinesOf(plan).flatMap(({ steps }) => steps.flatMap((step) => lacksWords(step, places))),
  emit(plan: Plan) {
    return plan.routes.map((planned) => {
      const route = describeRoute(planned, plan.globalRules);
      return { path: `routes/${fileName(route.id)}.txt`, content: proseText(route), route };
    });
  },
} satisfies EmitTarget<RouteProse>;

function pipelinesOf({ globalRules, routes }: Plan): PlannedPipeline[] {
  return [...globalRules, ...routes.flatMap(({ pipeline }) => pipeline ?? [])];
}

function lacksWords({ plugin, origin }: Step, places: SourceLocations): Diagnostic[] {
  if (findPlugin(plugin)?.describe !== undefined) return [];
  return [diagnostic("GW8001", places.span(origin) ?? startOfFile(origin), { plugin })];
}

/** Words for phases: requests of a route without upstream get a local reply. */
const WITHOUT_UPSTREAM: Readonly<Partial<Record<StepPhase, string>>> = {
  access: "Before it is answered",
  headerFilter: "When it is answered",
};

function describeRoute(planned: Plan["routes"][number], rules: readonly PlannedPipeline[]): DescribedRoute {
  const isProxied = planned.row.upstream !== null;
  const pipelines = [...rules, ...(planned.pipeline ? [planned.pipeline] : [])];
  const phases = PHASES.map((phase) => ({
    when: (isProxied ? undefined : WITHOUT_UPSTREAM[phase]) ?? WHEN[phase],
    sentences: pipelines.flatMap((pipeline) => sentencesOf(pipeline, phase, isProxied)),
  }));
  return {
    id: planned.row.id,
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

function sentencesOf(pipeline: PlannedPipeline, phase: StepPhase, isProxied: boolean): string[] {
  const steps = pipeline.steps.filter((step) => step.phase === phase);
  return steps.flatMap((step) => ofStep(step, pipeline, isProxied));
}

function ofStep(step: Step, { kind, id, resources = [] }: PlannedPipeline, isProxied: boolean): string[] {
  const plugin = findPlugin(step.plugin);
  const kept = resources.find((resource) => resource.plugin === step.plugin)?.data;
  const guard = plugin?.guard?.(step)?.condition;
  const conditions = [step.filter, guard ?? null].filter((one) => one !== null).map(conditionWords);
  const only = conditions.length === 0 ? "" : `, if ${conditions.join(" and ")}`;
  const rule = kind === "global_rule" ? ` of global rule ${id}` : "";
  const said = plugin?.describe?.(step, kept, isProxied) ?? ["does something that it brings no words for"];
  return said.map((words) => `${step.plugin}${rule} ${words}${only}.`);
}

/** @param place location of the route. Default: its config path */
export function proseText({ id, origin, takes, phases }: DescribedRoute, place = origin): string {
  const parts = phases.map(({ when, sentences }) =>
    [`${when}:`, ...sentences.map((sentence) => `  - ${sentence}`)].join("\n"),
  );
  const nothing = phases.length === 0 ? ["No plugin changes what passes."] : [];
  return `${[`Route "${id}" (${place})\n${takes.join("\n")}`, ...nothing, ...parts].join("\n\n")}\n`;
}
