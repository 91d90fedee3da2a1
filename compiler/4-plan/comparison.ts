import { inEscapes } from "../../runtime/abi/path.js";
import type { Variable } from "../../runtime/abi/variables.js";
import type { Condition, Operator } from "../model/plan.js";
import type { Path } from "../model/source.js";
import { absentField } from "../variables/absent-fields.js";
import { reportUnknown } from "../variables/text.js";
import { availabilityHelp, findVariable, isAvailable } from "../variables/variable.js";
import { reportImpossible } from "./impossible.js";
import type { ConditionScope } from "./operand.js";
import { planOperand } from "./operand.js";

const OPERATORS: readonly Operator[] = ["==", "~=", ">", ">=", "<", "<=", "~~", "~*", "in", "has", "ipmatch"];
/** Operators of other languages that people write. */
const OTHER_SPELLINGS: Readonly<Record<string, Operator>> = {
  "=": "==",
  "===": "==",
  "!=": "~=",
  "!==": "~=",
  "=~": "~~",
  "~": "~~",
  "=>": ">=",
  "=<": "<=",
};

/**
 * Plans `[var, op, value]`, `[var, "!", op, value]` or the older `[var, value]`.
 * @returns undefined after a reported fault
 */
export function planComparison(
  item: readonly unknown[],
  path: Path,
  scope: ConditionScope,
): Condition | undefined {
  const shape = readShape(item, path, scope);
  if (shape === undefined) return undefined;
  const { name, operator, negated, valueIndex } = shape;
  const variable = knownVariable(name, [...path, 0], scope);
  if (variable === undefined) return undefined;
  reportUnescaped(name, item[valueIndex], [...path, valueIndex], scope);
  const value = listed(item, shape, path, scope);
  const operand = planOperand(
    { name, variable, operator, negated, value, path: [...path, valueIndex], whole: path },
    scope,
  );
  if (operand === undefined) return undefined;
  const isNumber = variable.type === "number";
  const compared = { name, operator, negated, isNumber, value: item[valueIndex], operand };
  reportImpossible(compared, [...path, valueIndex], scope);
  return { kind: "compare", variable: name, operator, negated, operand, origin: scope.origin(path) };
}

/**
 * Reports values that never match a path: paths are normalized, so they hold no space and no letter beyond
 * ASCII.
 */
function reportUnescaped(name: string, value: unknown, path: Path, scope: ConditionScope): void {
  if (!/^uri$|^uri_param_/.test(name)) return;
  for (const text of Array.isArray(value) ? value : [value]) {
    const form = typeof text === "string" ? inEscapes(text) : undefined;
    if (form !== undefined) scope.fault("GW4019", path, { name, value: text, form });
  }
}

interface Shape {
  name: string;
  operator: Operator;
  negated: boolean;
  valueIndex: number;
}

function readShape(item: readonly unknown[], path: Path, scope: ConditionScope): Shape | undefined {
  const [name, second, third] = item;
  const bad = (reason: string, help: string, at: Path = path): undefined => {
    scope.fault("GW4010", at, { reason }, help);
    return undefined;
  };
  if (typeof name !== "string")
    return bad("the variable is not a text", "write its name without $", [...path, 0]);
  if (item.length === 1) return bad("invalid expression", "write [variable, operator, value]");
  if (item.length === 2 && /^[=~<>!]/.test(String(second)))
    return bad(`the value after ${JSON.stringify(second)} is missing`, "write [variable, operator, value]");
  if (item.length === 2) return legacyShape(name, second, path, scope);
  const negated = item.length === 4;
  if (negated && second !== "!") return bad("bad 'not' expression", 'write [variable, "!", operator, value]');
  const operator = knownOperator(negated ? third : second, [...path, negated ? 2 : 1], scope);
  if (operator === undefined) return undefined;
  if (item.length > 4)
    readAs(item, item.slice(0, 3), { path, reason: "elements after the value are ignored" }, scope);
  return { name, operator, negated, valueIndex: negated ? 3 : 2 };
}

/**
 * Returns the value. A single text or number after `in` becomes a list of one; APISIX accepts it too but
 * never matches it.
 */
function listed(
  item: readonly unknown[],
  { operator, valueIndex }: Shape,
  path: Path,
  scope: ConditionScope,
): unknown {
  const value = item[valueIndex];
  if (operator !== "in" || !(typeof value === "string" || typeof value === "number")) return value;
  const written = item.slice(0, valueIndex + 1);
  const reason = "APISIX finds no elements in a text, so it never matches";
  readAs(written, [...item.slice(0, valueIndex), [value]], { path: [...path, valueIndex], reason }, scope);
  return [value];
}

/** Warns of an accepted form, and names the form that it is read as. */
function readAs(
  written: readonly unknown[],
  form: readonly unknown[],
  { path, reason }: { path: Path; reason: string },
  scope: ConditionScope,
): void {
  const shown = JSON.stringify(form);
  scope.fault("GW4017", path, { written: JSON.stringify(written), form: shown, reason }, `write ${shown}`);
}

/**
 * Reads `[var, value]`, which compares the value as written. lua-resty-expr lower-cases the value, so that
 * ["arg_k", "ABC"] compares with "abc", which nobody means; a warning is reported if the two differ.
 */
function legacyShape(name: string, value: unknown, path: Path, scope: ConditionScope): Shape {
  if (typeof value === "string" && value !== value.toLowerCase()) {
    const reason = "APISIX compares with the lower-case text";
    readAs([name, value], [name, "==", value], { path: [...path, 1], reason }, scope);
  }
  return { name, operator: "==", negated: false, valueIndex: 1 };
}

function knownOperator(written: unknown, path: Path, scope: ConditionScope): Operator | undefined {
  const word = typeof written === "string" ? written.toLowerCase() : undefined;
  const operator = OPERATORS.find((known) => known === word);
  if (operator !== undefined) return operator;
  const meant = word === undefined ? undefined : OTHER_SPELLINGS[word];
  const help = meant === undefined ? undefined : `write "${meant}"`;
  scope.fault("GW4011", path, { operator: String(written), choices: OPERATORS.join(" ") }, help);
  return undefined;
}

function knownVariable(name: string, path: Path, scope: ConditionScope): Variable | undefined {
  const found = findVariable(name);
  if (found === undefined) {
    reportUnknown(name, "", (code, params, help) => scope.fault(code, path, params, help?.()));
    return undefined;
  }
  if (isAvailable(found.variable, scope.now)) {
    const absent = absentField(found);
    if (absent !== undefined) scope.fault("GW4418", path, { name, field: absent.field }, absent.help);
    return found.variable;
  }
  scope.fault("GW4002", path, { name, place: scope.place }, availabilityHelp(found.variable, scope.now));
  return undefined;
}
