import { outcomeWith } from "../4-plan/constant-conditions.js";
import type { Condition, Operand } from "../model/plan.js";
import { absent, assigned, merged, type SampleConstraints } from "./sample-constraints.js";
import { knownValues, matchingTexts, othersOf } from "./sample-values.js";

type Compare = Extract<Condition, { kind: "compare" }>;

/** Maximum for one condition: each way adds sample requests. */
const WAYS = 6;
const OTHER = "other";

/** Guesses, which the compiled conditions verify. */
export function conditionConstraints(condition: Condition | null, wanted: boolean): SampleConstraints[] {
  if (condition === null || condition.kind === "always") return wanted ? [{}] : [];
  if (condition.kind === "compare") return ofCompare(condition, wanted);
  const { kind, items } = condition;
  const inside = kind === "nand" || kind === "nor" ? !wanted : wanted;
  const all = (kind === "and" || kind === "nand") === inside;
  const ways = items.map((item) => conditionConstraints(item, inside));
  if (!all) return ways.flat().slice(0, WAYS);
  return ways.reduce<SampleConstraints[]>(
    (found, next) => found.flatMap((facts) => next.map((more) => merged(facts, more))).slice(0, WAYS),
    [{}],
  );
}

function ofCompare(compare: Compare, wanted: boolean): SampleConstraints[] {
  const { variable } = compare;
  const holds = wanted !== compare.negated;
  const negative = compare.operator === "~=";
  const known = knownValues(variable)?.filter((value) => outcomeWith(compare, value) !== !wanted);
  const values = known ?? valuesOf(compare, holds !== negative);
  const found = values.flatMap((value) => {
    const facts = value === undefined ? absent(variable) : assigned(variable, value);
    if (facts === undefined) return [];
    // The settings of both sides decide whether the port expects TLS.
    return facts.port === undefined ? [facts] : [facts, merged(facts, { tls: {} })];
  });
  // A condition that no request decides, such as on $route_id, may be true next to others.
  return found.length > 0 ? found : [{}];
}

/** Contains undefined if the variable must be absent. */
function valuesOf({ variable, operator, operand }: Compare, holds: boolean): (string | undefined)[] {
  const others = othersOf(variable);
  if (operand.kind === "regex")
    return holds ? matchingTexts(operand.regex) : [...(others ?? ["~", OTHER, "0"]), undefined];
  if (operand.kind === "addresses")
    return holds ? operand.values.map((value) => value.replace(/\/.*/, "")) : [...(others ?? []), undefined];
  if (operand.kind === "null") return holds ? [undefined] : [...(others ?? [OTHER])];
  if (operand.kind === "number") {
    const bounds = boundsOf(operator, operand.value);
    if (bounds !== undefined) return holds ? [bounds.inside] : [bounds.outside, undefined];
  }
  const texts = textsOf(operand);
  if (holds) return texts;
  const apart = others?.filter((value) => !texts.includes(value));
  return [...(apart ?? [`${texts[0] ?? ""}x`, OTHER]), undefined];
}

function textsOf(operand: Operand): string[] {
  if (operand.kind === "list") return operand.values.map(String).slice(0, WAYS);
  return "value" in operand ? [String(operand.value)] : [];
}

function boundsOf(operator: Compare["operator"], bound: number) {
  const [below, at, above] = [bound - 1, bound, bound + 1].map(String) as [string, string, string];
  switch (operator) {
    case ">":
      return { inside: above, outside: at };
    case ">=":
      return { inside: at, outside: below };
    case "<":
      return { inside: below, outside: at };
    case "<=":
      return { inside: at, outside: above };
    default:
      return undefined;
  }
}
