import type { Variable } from "../../runtime/abi/variables.js";
import type { Condition, ConfigPath, Operand } from "../model/plan.js";
import { findVariable } from "../variables/variable.js";
import { FALSE, group, invert, type Logical, TRUE } from "./expression.js";
import { patternCode, patternNote } from "./pattern.js";
import { printLiteral } from "./printers.js";
import type { ModuleScope } from "./scope.js";

type Compare = Extract<Condition, { kind: "compare" }>;

/** Maximum length of a list that is compared item by item; beyond it a set is faster and more readable. */
const INLINE_LIST = 3;

/** Prints a condition as tests of the exchange. Patterns, sets and address blocks become constants. */
export function conditionCode(condition: Condition, scope: ModuleScope): Logical {
  switch (condition.kind) {
    case "always":
      return TRUE;
    case "and":
      return joined("&&", condition.items, scope);
    case "or":
      return joined("||", condition.items, scope);
    case "nand":
      return invert(joined("&&", condition.items, scope));
    case "nor":
      return invert(joined("||", condition.items, scope));
    case "compare": {
      if (condition.proven !== undefined) return condition.proven ? TRUE : FALSE;
      const tree = compareCode(condition, scope);
      return withOrigin(condition.negated ? invert(tree) : tree, condition.origin, scope);
    }
  }
}

/** Tags each test with the config path of its condition. */
function withOrigin(tree: Logical, origin: ConfigPath, scope: ModuleScope): Logical {
  if ("join" in tree) return { ...tree, items: tree.items.map((item) => withOrigin(item, origin, scope)) };
  return { test: scope.from(origin, tree.test), inverse: scope.from(origin, tree.inverse) };
}

function joined(join: "&&" | "||", items: readonly Condition[], scope: ModuleScope): Logical {
  return group(
    join,
    items.map((item) => conditionCode(item, scope)),
  );
}

/** Prints the comparison without its `negated`. */
function compareCode(compare: Compare, scope: ModuleScope): Logical {
  const found = findVariable(compare.variable);
  if (found === undefined) return FALSE;
  const left: Left = { code: scope.read(found), variable: found.variable };
  switch (compare.operator) {
    case "==":
      return equality(left, compare.operand, scope);
    case "~=":
      return invert(equality(left, compare.operand, scope));
    case ">":
    case ">=":
    case "<":
    case "<=":
      return order(left, compare.operator, compare.operand, scope);
    case "~~":
    case "~*":
      return regexTest(left, compare, scope);
    case "in":
      return listTest(left, compare, scope);
    case "has":
      return FALSE;
    case "ipmatch":
      return addressTest(left, compare, scope);
  }
}

interface Left {
  code: string;
  variable: Variable;
}

function call(test: string): Logical {
  return { test, inverse: `!${test}` };
}

function equal(left: string, right: string): Logical {
  return { test: `${left} === ${right}`, inverse: `${left} !== ${right}` };
}

/**
 * Prints the left side as a number. A value that is no number becomes NaN, for which every comparison is
 * false.
 */
function numeric({ code, variable }: Left, scope: ModuleScope): string {
  if (variable.type === "number" && !variable.optional) return code;
  return `${scope.imported("toNumber").text}(${code})`;
}

function equality(left: Left, operand: Operand, scope: ModuleScope): Logical {
  const { variable, code } = left;
  switch (operand.kind) {
    case "null":
      return variable.optional ? equal(code, "undefined") : FALSE;
    case "number":
      return equal(numeric(left, scope), printLiteral(operand.value));
    case "text":
      return variable.type === "number" ? FALSE : equal(code, scope.bytes(operand.value).text);
    default:
      return FALSE;
  }
}

/** Inverse operators, valid only for a left side that is never NaN. */
const OPPOSITE = { ">": "<=", ">=": "<", "<": ">=", "<=": ">" } as const;

function order(left: Left, operator: keyof typeof OPPOSITE, operand: Operand, scope: ModuleScope): Logical {
  if (operand.kind !== "number") return FALSE;
  const [number, bound] = [numeric(left, scope), printLiteral(operand.value)];
  const test = `${number} ${operator} ${bound}`;
  const certain = left.variable.type === "number" && !left.variable.optional;
  return { test, inverse: certain ? `${number} ${OPPOSITE[operator]} ${bound}` : `!(${test})` };
}

function regexTest({ code, variable }: Left, { operand, origin }: Compare, scope: ModuleScope): Logical {
  if (operand.kind !== "regex") return FALSE;
  const { regex } = operand;
  const { utf8 } = regex;
  const pattern = scope.numbered("pattern", patternCode(regex, scope), patternNote(origin, regex)).text;
  const text = variable.type === "number" ? `String(${code})` : code;
  const subject = (present: string) => (utf8 ? `${scope.imported("decodeUtf8").text}(${present})` : present);
  if (!variable.optional) return call(`${pattern}.test(${subject(text)})`);
  return call(`${scope.imported("matches").text}(${pattern}, ${code}${utf8 ? ", true" : ""})`);
}

function listTest(left: Left, { operand, origin }: Compare, scope: ModuleScope): Logical {
  if (operand.kind !== "list") return FALSE;
  const numbers = operand.values.filter((value) => typeof value === "number");
  const texts =
    left.variable.type === "number" ? [] : operand.values.filter((value) => typeof value === "string");
  const items = [
    ...membership(
      left.code,
      texts.map((text) => scope.bytes(text).text),
      left,
      origin,
      scope,
    ),
    // Printed only if needed, since reading a text as a number requires an import.
    ...(numbers.length === 0
      ? []
      : membership(numeric(left, scope), numbers.map(printLiteral), left, origin, scope)),
  ];
  return group("||", items);
}

/** Prints a few comparisons if reading the variable is cheap, otherwise one lookup in a set. */
function membership(
  code: string,
  values: readonly string[],
  { variable }: Left,
  origin: string,
  scope: ModuleScope,
): Logical[] {
  if (values.length === 0) return [];
  if (values.length === 1 || (values.length <= INLINE_LIST && !variable.prefixed)) {
    return values.map((value) => equal(code, value));
  }
  const set = scope.numbered("values", `${scope.imported("oneOf").text}(${values.join(", ")})`, origin).text;
  return [call(`${set}.has(${code})`)];
}

function addressTest({ code, variable }: Left, { operand, origin }: Compare, scope: ModuleScope): Logical {
  if (operand.kind !== "addresses" || variable.type === "number") return FALSE;
  const list = operand.values.map(printLiteral).join(", ");
  const block = scope.numbered("addresses", `${scope.imported("addresses").text}(${list})`, origin).text;
  return call(`${block}.has(${code})`);
}
