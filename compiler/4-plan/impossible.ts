import { addressOf } from "../../runtime/abi/text/addresses.js";
import type { Operand, Operator } from "../model/plan.js";
import type { Path } from "../model/source.js";
import { impossiblePattern } from "./impossible-patterns.js";
import { impossibleValue, isAddressBlock, type ValueFault } from "./impossible-values.js";
import type { ConditionScope } from "./operand.js";

interface Bounds {
  least: number;
  most: number;
  reason: string;
}

const PORT: Bounds = { least: 1, most: 65_535, reason: "a port is a whole number from 1 to 65535" };
const SIZE: Bounds = { least: 0, most: Number.MAX_SAFE_INTEGER, reason: "it is a whole number from 0 on" };
const COUNT: Bounds = { least: 1, most: Number.MAX_SAFE_INTEGER, reason: "it is a whole number from 1 on" };
/** Variables that are whole numbers, with their bounds. */
const WHOLE: Readonly<Record<string, Bounds>> = {
  remote_port: PORT,
  server_port: PORT,
  // The gateway passes on no other status (RFC 9110 section 15).
  status: { least: 100, most: 999, reason: "a status is a whole number from 100 to 999" },
  request_length: SIZE,
  content_length: SIZE,
  connection: COUNT,
  connection_requests: COUNT,
  pid: COUNT,
};

/** @returns undefined if some value satisfies the comparison, or the variable has no bounds */
function impossibleNumber(name: string, operator: Operator, value: number): ValueFault | undefined {
  const bounds = Object.hasOwn(WHOLE, name) ? WHOLE[name] : undefined;
  if (bounds === undefined) return undefined;
  const { least, most, reason } = bounds;
  const isKnown = Number.isInteger(value) && value >= least && value <= most;
  if ((operator === "==" || operator === "~=") && !isKnown) return { reason };
  if (operator === ">" && value >= most) return { reason, verb: "is never more than" };
  if (operator === ">=" && value > most) return { reason, verb: "is never at least" };
  if (operator === "<" && value <= least) return { reason, verb: "is never less than" };
  if (operator === "<=" && value < least) return { reason, verb: "is never at most" };
  return undefined;
}

/** Maximum items of a list that a help repeats; lists may have thousands. */
const MAX_SHOWN = 4;

interface Compared {
  name: string;
  operator: Operator;
  negated: boolean;
  isNumber: boolean;
  value: unknown;
  operand: Operand;
}

/**
 * Reports values and patterns that a variable has in no request: `==`, `in` and `~~` then never hold, and
 * `~=` always does. These are warnings (GW3071), since such a configuration has a meaning and other gateways
 * accept it.
 * @param value right side as configured
 */
export function reportImpossible(compared: Compared, path: Path, scope: ConditionScope): void {
  const { name, operator, value, operand } = compared;
  const report = (text: unknown, found: ValueFault, at: Path) => {
    const help = found.instead === undefined ? found.help : insteadHelp(compared, text, found.instead);
    const params = { name, verb: found.verb ?? "is never", value: String(text), reason: found.reason };
    scope.fault("GW3071", at, params, help);
  };
  if (operand.kind === "regex" && typeof value === "string") {
    const found = impossiblePattern(name, value, operator === "~*", operand.regex);
    if (found !== undefined) report(value, { verb: "never matches", ...found }, path);
    return;
  }
  if (operator === "in" && Array.isArray(value)) {
    value.forEach((item: unknown, i) => {
      const found = faultOf(compared, item, "==");
      if (found !== undefined) report(item, found, [...path, i]);
    });
    return;
  }
  const found = faultOf(compared, operand.kind === "number" ? operand.value : value, operator);
  if (found !== undefined) report(value, found, path);
}

/**
 * @param item right side, or one item of it
 * @param asked operator by which the variable is compared with `item`
 */
function faultOf(
  { name, isNumber, value }: Compared,
  item: unknown,
  asked: Operator,
): ValueFault | undefined {
  const number = typeof item === "number" ? impossibleNumber(name, asked, item) : undefined;
  if (number !== undefined) return number;
  if ((asked !== "==" && asked !== "~=" && asked !== "in") || !isScalar(item)) return undefined;
  // In a list without a number the comparison never holds, which GW4012 reports.
  const isMixed = Array.isArray(value) && value.some((other) => typeof other === "number");
  if (isNumber && typeof item === "string")
    return isMixed ? { reason: "it is a number, never a text" } : undefined;
  return impossibleValue(name, String(item));
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/**
 * Returns the whole comparison that was probably meant, with its negation and the other items of its list.
 */
function insteadHelp(
  { name, operator, negated, value }: Compared,
  text: unknown,
  instead: NonNullable<ValueFault["instead"]>,
): string {
  const isNegative = negated !== (operator === "~=");
  const comparison = (word: Operator, right: unknown) => [name, ...(isNegative ? ["!"] : []), word, right];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const meant = shown(comparison(instead.operator, instead.value));
  if (list.length === 1) return `write ${meant}`;
  const isAddressList = list.every((item) => typeof item === "string" && isAddressOrBlock(item));
  if (list.length > MAX_SHOWN)
    return instead.operator === "ipmatch" && isAddressList
      ? 'write "ipmatch" in place of "in"'
      : `remove it from the list, and add ${isNegative ? "" : '"OR" and '}${meant}`;
  if (instead.operator === "ipmatch" && isAddressList) return `write ${shown(comparison("ipmatch", value))}`;
  const others = list.filter((item) => item !== text);
  const apart = [
    [name, instead.operator, instead.value],
    [name, "in", others],
  ];
  return `write ${shown([isNegative ? "!OR" : "OR", ...apart])}`;
}

const isAddressOrBlock = (text: string) => isAddressBlock(text) || addressOf(text) !== undefined;

/** Returns JSON with a space behind each comma. */
const shown = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(shown).join(", ")}]` : JSON.stringify(value);
