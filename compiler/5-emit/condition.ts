import type { Variable } from "../../runtime/abi/variables.js";
import type { Condition, ConfigPath, Operand } from "../model/plan.js";
import { Code, code, from, joinCode } from "../plugin/code.js";
import { findVariable } from "../variables/variable.js";
import { FALSE, group, invert, type Logical, TRUE } from "./expression.js";
import { patternCode, patternNote } from "./pattern.js";
import { literalCode, nameFromWords } from "./printers.js";
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
      return withOrigin(condition.negated ? invert(tree) : tree, condition.origin);
    }
  }
}

/** Adds the config path of its condition to each test. */
function withOrigin(tree: Logical, origin: ConfigPath): Logical {
  if ("join" in tree) return { ...tree, items: tree.items.map((item) => withOrigin(item, origin)) };
  return { ...tree, test: from(origin, tree.test), inverse: from(origin, tree.inverse) };
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
  const name = nameFromWords(compare.variable);
  const left: Left = { code: scope.read(found), variable: found.variable, name };
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
  code: Code;
  variable: Variable;
  /** Name of the variable in those of constants. */
  name: string;
}

function call(test: Code): Logical {
  return { test, inverse: code`!${test}` };
}

function equal(left: Code, right: Code): Logical {
  const present = left.kind === "name" ? left.text : undefined;
  return { test: code`${left} === ${right}`, inverse: code`${left} !== ${right}`, present };
}

function absent(value: Code): Logical {
  const presentOtherwise = value.kind === "name" ? value.text : undefined;
  return { test: code`${value} === undefined`, inverse: code`${value} !== undefined`, presentOtherwise };
}

/**
 * Prints the left side as a number. A value that is no number becomes NaN, for which every comparison is
 * false.
 */
function numeric({ code: left, variable }: Left, scope: ModuleScope): Code {
  if (variable.type === "number" && !variable.optional) return left;
  return code`${scope.imported("toNumber")}(${left})`;
}

function equality(left: Left, operand: Operand, scope: ModuleScope): Logical {
  const { variable, code: value } = left;
  switch (operand.kind) {
    case "null":
      return variable.optional ? absent(value) : FALSE;
    case "number":
      return equal(numeric(left, scope), literalCode(operand.value));
    case "text":
      return variable.type === "number"
        ? FALSE
        : equal(value, scope.bytes(operand.value, `${left.name}Value`));
    default:
      return FALSE;
  }
}

/** Inverse operators, valid only for a left side that is never NaN. */
const OPPOSITE = { ">": "<=", ">=": "<", "<": ">=", "<=": ">" } as const;

function order(left: Left, operator: keyof typeof OPPOSITE, operand: Operand, scope: ModuleScope): Logical {
  if (operand.kind !== "number") return FALSE;
  const [number, bound] = [numeric(left, scope), literalCode(operand.value)];
  const test = code`${number} ${new Code(operator)} ${bound}`;
  const certain = left.variable.type === "number" && !left.variable.optional;
  return {
    test,
    inverse: certain ? code`${number} ${new Code(OPPOSITE[operator])} ${bound}` : code`!(${test})`,
  };
}

function regexTest(
  { code: value, variable, name }: Left,
  { operand, origin }: Compare,
  scope: ModuleScope,
): Logical {
  if (operand.kind !== "regex") return FALSE;
  const { regex } = operand;
  const { utf8 } = regex;
  const pattern = scope.constant(`${name}Pattern`, patternCode(regex, scope), patternNote(origin, regex));
  const text = variable.type === "number" ? code`String(${value})` : value;
  if (variable.optional)
    return call(code`${scope.imported("matches")}(${pattern}, ${value}${new Code(utf8 ? ", true" : "")})`);
  const subject = utf8 ? code`${scope.imported("decodeUtf8")}(${text})` : text;
  return call(code`${pattern}.test(${subject})`);
}

function listTest(left: Left, { operand, origin }: Compare, scope: ModuleScope): Logical {
  if (operand.kind !== "list") return FALSE;
  const numbers = operand.values.filter((value) => typeof value === "number");
  const texts =
    left.variable.type === "number" ? [] : operand.values.filter((value) => typeof value === "string");
  const items = [
    ...membership(
      left.code,
      texts.map((text) => scope.bytes(text, `${left.name}Value`)),
      left,
      origin,
      scope,
    ),
    // Printed only if needed, since reading a text as a number requires an import.
    ...(numbers.length === 0
      ? []
      : membership(numeric(left, scope), numbers.map(literalCode), left, origin, scope)),
  ];
  return group("||", items);
}

/** Prints a few comparisons if reading the variable is cheap, otherwise one lookup in a set. */
function membership(
  value: Code,
  values: readonly Code[],
  { variable, name }: Left,
  origin: string,
  scope: ModuleScope,
): Logical[] {
  if (values.length === 0) return [];
  if (values.length === 1 || (values.length <= INLINE_LIST && !variable.prefixed)) {
    return values.map((other) => equal(value, other));
  }
  const list = code`${scope.imported("oneOf")}(${joinCode(values, ", ")})`;
  return [call(code`${scope.constant(`${name}Values`, list, origin)}.has(${value})`)];
}

function addressTest(
  { code: value, variable, name }: Left,
  { operand, origin }: Compare,
  scope: ModuleScope,
): Logical {
  if (operand.kind !== "addresses" || variable.type === "number") return FALSE;
  const list = joinCode(operand.values.map(literalCode), ", ");
  const block = scope.constant(`${name}Blocks`, code`${scope.imported("addresses")}(${list})`, origin);
  return call(code`${block}.has(${value})`);
}
