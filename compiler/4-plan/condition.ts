import { isObject } from "../../runtime/abi/json-object.js";
import { ERROR_RANK, expressionErrorPrefix } from "../diagnostics/admin-text.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Condition } from "../model/plan.js";
import type { Path, Spanned } from "../model/source.js";
import { patternScope } from "../variables/subject.js";
import { planComparison } from "./comparison.js";
import { foldConstants } from "./constant-conditions.js";
import { type Contradiction, contradictions, MAX_WORDS, neverHolds } from "./contradiction.js";
import type { ConditionContext, ConditionScope, Params } from "./operand.js";

const GROUPS: Readonly<Record<string, "and" | "or" | "nand" | "nor">> = {
  AND: "and",
  OR: "or",
  "!AND": "nand",
  "!OR": "nor",
};

/** Diagnostics whose `error_msg` the reference words itself (section 4.1). */
const WORDS: Readonly<Record<string, (params: Params) => string>> = {
  GW4010: ({ reason }) => String(reason),
  GW4011: ({ operator }) => `invalid operator '${String(operator).toLowerCase()}'`,
  GW4015: ({ address }) => (address === "" ? "invalid ip address" : `invalid ip address: ${address}`),
};

const NEVER: Condition = { kind: "or", items: [] };

/** Faults that make one comparison unsatisfiable; they have the path of the comparison. */
const NEVER_HOLDS: ReadonlySet<string> = new Set(["GW4012", "GW4016"]);

/**
 * Plans a condition in the whole language of reference section 4. An unsatisfiable condition is an error; an
 * unsatisfiable part inside OR is a warning. After a reported fault the result is arbitrary and not used.
 */
export function planCondition(rule: Spanned<unknown[]>, context: ConditionContext): Condition {
  let faults = 0;
  const prefix = expressionErrorPrefix(context.field ?? "vars");
  const report = (finding: Diagnostic, words = finding.message) =>
    context.report(
      finding.severity === "error"
        ? { ...finding, errorMessage: prefix + words, errorRank: ERROR_RANK.expression }
        : finding,
    );
  const dead: Diagnostic[] = [];
  /** Outcomes of comparisons that are the same for every request, by JSON path. */
  const fixed = new Map<string, boolean>();
  const scope: ConditionScope = {
    ...context,
    report: (finding) => {
      if (finding.severity === "error") faults++;
      report(finding);
    },
    patterns: context.patterns ?? patternScope(),
    spans: rule.spans,
    places: new Map(),
    fault: (code, path, params = {}, help) => {
      const found = diagnostic(code, rule.spans.value(path), params, help === undefined ? {} : { help });
      if (NEVER_HOLDS.has(code)) {
        dead.push(found);
        fixed.set(JSON.stringify(path), false);
        return;
      }
      if (code === "GW4014") fixed.set(JSON.stringify(path), true);
      if (found.severity === "error") faults++;
      report(found, WORDS[code]?.(params) ?? found.message);
    },
  };
  if (rule.value.length === 0) return { kind: "always" };
  const count = comparisonsIn(rule.value);
  if (count > MAX_COMPARISONS) {
    scope.fault("GW2134", [], { count, limit: MAX_COMPARISONS });
    return NEVER;
  }
  const condition = planRule(rule.value, [], scope);
  if (faults === 0) dead.push(...contradictions(condition).map((found) => contradictionAt(found, scope)));
  const outcome = (compare: Condition) => fixed.get(JSON.stringify(scope.places.get(compare)));
  const never = faults === 0 && neverHolds(condition, outcome);
  if (never && dead.length === 0)
    dead.push(diagnostic("GW4012", rule.spans.value([]), { reason: "the negated condition is always true" }));
  const isError = faults > 0 || never;
  for (const found of dead) report(isError ? found : deadPart(found));
  return isError || context.guarantees === undefined
    ? condition
    : foldConstants(condition, context.guarantees);
}

/** Returns the warning about an unsatisfiable part of a condition that may hold. */
function deadPart({ message, span, notes, help }: Diagnostic): Diagnostic {
  const reason = message.replace(/^this condition is never true: /, "");
  return diagnostic("GW4018", span, { reason }, { notes, ...(help !== undefined && { help }) });
}

/** Places the diagnostic at the last of the comparisons, which completes the contradiction. */
function contradictionAt({ variable, compares, words }: Contradiction, scope: ConditionScope): Diagnostic {
  const places = compares.map((compare) => scope.spans.value(scope.places.get(compare) ?? []));
  const notes = places
    .slice(0, -1)
    .slice(0, MAX_WORDS)
    .map((span) => ({ message: "the other condition", span }));
  return diagnostic("GW4013", places.at(-1), { name: variable, conditions: words }, { notes });
}

/**
 * Maximum comparisons of one condition: 1,000 take 60 ms to compile, 50,000 took 51 s. A module of 30,000 is
 * nested too deeply to be parsed.
 */
const MAX_COMPARISONS = 1000;

/** Returns the number of lists in a rule, at any depth, that hold no rule themselves. */
function comparisonsIn(rule: readonly unknown[]): number {
  const open = [rule];
  let count = 0;
  for (let list = open.pop(); list !== undefined; list = open.pop())
    for (const item of list)
      if (Array.isArray(item) && isRule(item)) open.push(item);
      else if (Array.isArray(item)) count += 1;
  return count;
}

/** Reports whether an item combines other items, and so is not a comparison. */
function isRule(item: readonly unknown[]): boolean {
  return Array.isArray(item[0]) || groupWord(item[0]) !== undefined;
}

function groupWord(value: unknown): "and" | "or" | "nand" | "nor" | undefined {
  return typeof value === "string" ? GROUPS[value.toUpperCase()] : undefined;
}

/** Plans `[cond, …]` or `[LOGIC, item, item, …]`. */
function planRule(rule: readonly unknown[], path: Path, scope: ConditionScope): Condition {
  const kind = groupWord(rule[0]);
  if (kind === undefined && !Array.isArray(rule[0]) && !isObject(rule[0])) {
    return malformed(
      scope,
      path,
      "rule should be wrapped inside brackets",
      "write [[variable, operator, value]]",
    );
  }
  const skipped = kind === undefined ? 0 : 1;
  const items = rule.slice(skipped);
  if (kind !== undefined && items.length < 2) {
    return malformed(scope, path, "rule too short", `"${rule[0]}" combines at least two conditions`);
  }
  const conditions = items.map((item, i) => planItem(item, [...path, i + skipped], scope));
  const [only] = conditions;
  if (kind === undefined && conditions.length === 1 && only !== undefined) return only;
  return { kind: kind ?? "and", items: conditions };
}

function planItem(item: unknown, path: Path, scope: ConditionScope): Condition {
  // The reference takes an object for a list without items.
  if (isObject(item)) return malformed(scope, path, "rule too short", "write [variable, operator, value]");
  if (!Array.isArray(item)) {
    return malformed(scope, path, "a condition is a list", "write [variable, operator, value]");
  }
  if (item.length === 0) return malformed(scope, path, "rule too short", "write [variable, operator, value]");
  if (isRule(item)) {
    return planRule(item, path, scope);
  }
  const comparison = planComparison(item, path, scope) ?? NEVER;
  scope.places.set(comparison, path);
  return comparison;
}

/** Reports an expression that does not follow the grammar. */
function malformed(scope: ConditionScope, path: Path, reason: string, help: string): Condition {
  scope.fault("GW4010", path, { reason }, help);
  return NEVER;
}
