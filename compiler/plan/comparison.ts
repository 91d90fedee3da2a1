import { inEscapes } from "../../runtime/abi/path.js";
import type { Variable } from "../../runtime/abi/variables.js";
import type { Path } from "../parse/source.js";
import type { ConditionScope } from "./operand.js";
import { planOperand } from "./operand.js";
import type { Condition, Operator } from "./plan.js";
import { reportUnknown } from "./text.js";
import { findVariable, isAvailable, laterHelp } from "./variable.js";

const OPERATORS: readonly Operator[] = ["==", "~=", ">", ">=", "<", "<=", "~~", "~*", "in", "has", "ipmatch"];
/** What people write from other languages. */
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

/** `[var, op, value]`, `[var, "!", op, value]` or the older `[var, value]`; undefined after a reported fault. */
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
  const operand = planOperand(
    { name, variable, operator, negated, value: item[valueIndex], path: [...path, valueIndex], whole: path },
    scope,
  );
  if (operand === undefined) return undefined;
  return { kind: "compare", variable: name, operator, negated, operand, origin: scope.origin(path) };
}

/** Paths are in normal form, so a value with a blank or a letter beyond ASCII equals and matches none. */
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
  if (item.length > 4) return bad("too many elements", "a condition has three elements, or four with !");
  if (item.length === 2 && /^[=~<>!]/.test(String(second)))
    return bad(`the value after ${JSON.stringify(second)} is missing`, "write [variable, operator, value]");
  if (item.length === 2) return legacyShape(name, second, path, scope);
  const negated = item.length === 4;
  if (negated && second !== "!") return bad("bad 'not' expression", 'write [variable, "!", operator, value]');
  const operator = knownOperator(negated ? third : second, [...path, negated ? 2 : 1], scope);
  if (operator === undefined) return undefined;
  return { name, operator, negated, valueIndex: negated ? 3 : 2 };
}

/**
 * `[var, value]` compares as written. lua-resty-expr lower-cases the value, so that ["arg_k", "ABC"] asks for "abc",
 * which nobody means; where the two differ the operator is told.
 */
function legacyShape(name: string, value: unknown, path: Path, scope: ConditionScope): Shape {
  if (typeof value === "string" && value !== value.toLowerCase()) {
    scope.fault("GW4017", [...path, 1], { name, value });
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
    reportUnknown(name, "", (code, params, help) => scope.fault(code, path, params, help));
    return undefined;
  }
  if (isAvailable(found.variable, scope.now)) return found.variable;
  scope.fault("GW4002", path, { name, place: scope.place }, laterHelp(found.variable, scope.now));
  return undefined;
}
