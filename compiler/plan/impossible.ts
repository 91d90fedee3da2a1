import type { Path } from "../parse/source.js";
import { impossiblePattern } from "./impossible-patterns.js";
import { impossibleValue, type ValueFault } from "./impossible-values.js";
import type { ConditionScope } from "./operand.js";
import type { Operand, Operator } from "./plan.js";

/**
 * Reports values and patterns that a variable has in no request: `==`, `in` and `~~` then never hold, and `~=` always does. These
 * are warnings (GW3071), since such a configuration has a meaning, and other gateways take it.
 * @param value right side as written
 */
export function reportImpossible(
  { name, operator, value, operand }: { name: string; operator: Operator; value: unknown; operand: Operand },
  path: Path,
  scope: ConditionScope,
): void {
  const report = (text: string, { reason, help, verb }: ValueFault, at: Path) =>
    scope.fault("GW3071", at, { name, verb: verb ?? "is never", value: text, reason }, help);
  if (operand.kind === "regex" && typeof value === "string") {
    const found = impossiblePattern(name, value, operator === "~*", operand.regex);
    if (found !== undefined) report(value, { verb: "never matches", ...found }, path);
    return;
  }
  if (operator !== "==" && operator !== "~=" && operator !== "in") return;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  list.forEach((item, i) => {
    if (typeof item !== "string" && typeof item !== "number") return;
    const found = impossibleValue(name, String(item));
    if (found !== undefined) report(String(item), found, Array.isArray(value) ? [...path, i] : path);
  });
}
