import type { Condition, PlannedPipeline, Step } from "../plan/plan.js";
import { findVariable, isKnown } from "../plan/variable.js";
import { findPlugin } from "../plugin/registry.js";
import { pluginVariable } from "../plugin/variables.js";
import { conditionCode } from "./condition.js";
import { flat, isFalse, isTrue } from "./expression.js";
import { patternCode, patternNote } from "./pattern.js";
import type { ModuleScope } from "./scope.js";
import { withoutTags } from "./tag.js";

type Compare = Extract<Condition, { kind: "compare" }>;

/**
 * Returns what the steps of a pipeline ask of the path, each question once. The parts of a condition that read the path are
 * asked together with what is known when the request comes, and alone where the rest of it is known later.
 */
export function pathTests({ steps }: PlannedPipeline, scope: ModuleScope): string[] {
  const tests = new Map<string, string>();
  const ask = (test: string) => {
    if (!tests.has(withoutTags(test))) tests.set(withoutTags(test), test);
  };
  for (const step of steps) {
    for (const condition of conditionsOf(step).flatMap(partsOnPath)) {
      const tree = conditionCode(condition, scope);
      if (!isTrue(tree) && !isFalse(tree)) ask(flat(tree));
    }
    for (const { regex, origin } of findPlugin(step.plugin)?.pathPatterns?.(step) ?? []) {
      const pattern = scope.numbered("uriPattern", patternCode(regex, scope), patternNote(origin, regex));
      ask(scope.from(origin, `${pattern.text}.test(x.uri)`));
    }
  }
  return [...tests.values()];
}

function conditionsOf(step: Step): Condition[] {
  const own = findPlugin(step.plugin)?.guard?.(step)?.condition;
  return [step.filter, own].filter((condition) => condition != null);
}

function partsOnPath(condition: Condition): Condition[] {
  const compares = comparesOf(condition);
  if (!compares.some(readsPath)) return [];
  if (condition.kind === "compare" || condition.kind === "always" || compares.every(isKnownAtOnce))
    return [condition];
  return condition.items.flatMap(partsOnPath);
}

function comparesOf(condition: Condition): Compare[] {
  if (condition.kind === "always") return [];
  return condition.kind === "compare" ? [condition] : condition.items.flatMap(comparesOf);
}

/** A variable of a package may be made of anything that came. */
const readsPath = ({ variable, proven }: Compare): boolean =>
  proven === undefined &&
  (/^(?:uri$|uri_param_)/.test(variable) || pluginVariable(variable)?.from === "request");

/** Plugins may give a variable its value in any phase, and others change while the request goes on. */
const isKnownAtOnce = (compare: Compare): boolean =>
  isKnown(compare, "request") &&
  findVariable(compare.variable)?.variable.passing !== true &&
  pluginVariable(compare.variable) === undefined;
