import type { Condition, Plan, PlannedPipeline, Regex } from "../../compiler/model/plan.js";
import { VARIABLES } from "../../runtime/abi/variables.js";
import { holds } from "./condition.js";
import { pathReadings } from "./path.js";
import type { State } from "./state.js";

type Compare = Extract<Condition, { kind: "compare" }>;
type Match = (plan: Plan, state: State) => Plan["routes"][number] | undefined;

/** Reports whether an upstream may read another path, for which other plugins run (reference 17). */
export function isAmbiguous(plan: Plan, state: State, match: Match): boolean {
  const outcomes = [state.path, ...pathReadings(state.path, state.request.pathRules)].map((path) => {
    const reading: State = { ...state, path, route: undefined, parameters: {} };
    const route = match(plan, reading);
    const pipelines = [...plan.globalRules, route?.pipeline ?? null];
    return JSON.stringify([
      route?.row.id ?? null,
      pipelines.map((pipeline) => outcomesOf(pipeline, reading)),
    ]);
  });
  return new Set(outcomes).size > 1;
}

function outcomesOf(pipeline: PlannedPipeline | null, state: State): boolean[] {
  return (pipeline?.steps ?? []).flatMap(({ plugin, filter, data }) => [
    ...conditionsIn([filter, data])
      .flatMap(partsOnPath)
      .map((part) => holds(part, state)),
    ...patternsOf(plugin, data).map(({ source, flags }) => new RegExp(source, flags).test(state.path)),
  ]);
}

/** Conditions anywhere in what a step has. */
function conditionsIn(value: unknown): Condition[] {
  if (typeof value !== "object" || value === null) return [];
  if (isCondition(value)) return [value];
  return Object.values(value).flatMap(conditionsIn);
}

const isCondition = (value: object): value is Condition =>
  "kind" in value && ("items" in value || ("operand" in value && "variable" in value));

/** `regex_uri` of both plugins that have it. */
function patternsOf(plugin: string, data: unknown): Regex[] {
  const { raw, uriRules, pattern } = (data ?? {}) as {
    raw?: boolean;
    uriRules?: { regex: Regex }[];
    pattern?: { regex: Regex } | null;
  };
  if (plugin === "redirect") return pattern ? [pattern.regex] : [];
  return plugin === "proxy-rewrite" && !raw ? (uriRules ?? []).map(({ regex }) => regex) : [];
}

/** Parts that read the path: with the rest where that is known from the start, else alone. */
function partsOnPath(condition: Condition): Condition[] {
  const all = comparesIn(condition);
  if (!all.some(({ variable, proven }) => proven === undefined && /^uri(_param_.*)?$/.test(variable)))
    return [];
  if (!("items" in condition) || all.every(({ variable }) => isKnown(variable))) return [condition];
  return condition.items.flatMap(partsOnPath);
}

function comparesIn(condition: Condition): Compare[] {
  if (condition.kind === "always") return [];
  return condition.kind === "compare" ? [condition] : condition.items.flatMap(comparesIn);
}

const isKnown = (name: string) =>
  VARIABLES.some(
    (one) =>
      (one.prefixed ? name.startsWith(one.name) : name === one.name) &&
      one.from === "request" &&
      one.passing !== true,
  );
