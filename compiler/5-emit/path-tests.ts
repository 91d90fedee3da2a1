import type { Condition, PlannedPipeline, Step } from "../model/plan.js";
import { type Code, code, from } from "../plugin/code.js";
import { pluginVariable } from "../plugin/contributions.js";
import { findPlugin } from "../plugin/registry.js";
import { findVariable, isKnown } from "../variables/variable.js";
import { conditionCode } from "./condition.js";
import { flat, isFalse, isTrue } from "./expression.js";
import { patternCode, patternNote } from "./pattern.js";
import type { ModuleScope } from "./scope.js";

type Compare = Extract<Condition, { kind: "compare" }>;

/**
 * Returns the tests of the path in a pipeline's steps, without duplicates. In a condition, path tests are
 * joined with tests whose values are known when the request arrives, and printed apart from the others.
 */
export function pathTests({ steps }: PlannedPipeline, scope: ModuleScope): Code[] {
  const tests = new Map<string, Code>();
  const ask = (test: Code) => {
    if (!tests.has(test.text)) tests.set(test.text, test);
  };
  for (const step of steps) {
    for (const condition of conditionsOf(step).flatMap(partsOnPath)) {
      const tree = conditionCode(condition, scope);
      if (!isTrue(tree) && !isFalse(tree)) ask(flat(tree));
    }
    for (const { regex, origin } of findPlugin(step.plugin)?.pathPatterns?.(step) ?? []) {
      const pattern = scope.constant("uriPattern", patternCode(regex, scope), patternNote(origin, regex));
      ask(from(origin, code`${pattern}.test(x.uri)`));
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

/** Reports whether a test reads the path. A variable of a package may read any part of the request. */
const readsPath = ({ variable, proven }: Compare): boolean =>
  proven === undefined &&
  (/^(?:uri$|uri_param_)/.test(variable) || pluginVariable(variable)?.from === "request");

/**
 * Reports whether a value is final when the request arrives. Plugins may set a variable in any phase, and
 * some variables change during the request.
 */
const isKnownAtOnce = (compare: Compare): boolean =>
  isKnown(compare, "request") &&
  findVariable(compare.variable)?.variable.passing !== true &&
  pluginVariable(compare.variable) === undefined;
