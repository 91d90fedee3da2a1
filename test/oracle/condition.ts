import type { Condition, Operand } from "../../compiler/model/plan.js";
import { isAmong } from "./address.js";
import type { State } from "./state.js";
import { characters } from "./utf8.js";
import { type Value, variable } from "./variables.js";

type Compare = Extract<Condition, { kind: "compare" }>;

/** Reference section 4. */
export function holds(condition: Condition | null, state: State): boolean {
  if (condition === null) return true;
  switch (condition.kind) {
    case "always":
      return true;
    case "and":
      return condition.items.every((item) => holds(item, state));
    case "or":
      return condition.items.some((item) => holds(item, state));
    case "nand":
      return !condition.items.every((item) => holds(item, state));
    case "nor":
      return !condition.items.some((item) => holds(item, state));
    case "compare":
      return compare(variable(condition.variable, state), condition) !== condition.negated;
  }
}

function compare(left: Value, { operator, operand }: Compare): boolean {
  switch (operator) {
    case "==":
      return equal(left, operand);
    case "~=":
      return !equal(left, operand);
    case ">":
      return number(left) > bound(operand);
    case ">=":
      return number(left) >= bound(operand);
    case "<":
      return number(left) < bound(operand);
    case "<=":
      return number(left) <= bound(operand);
    case "~~":
    case "~*":
      return left !== undefined && operand.kind === "regex" && found(String(left), operand);
    case "in":
      return operand.kind === "list" && operand.values.some((value) => equalValue(left, value));
    case "has":
      return false;
    case "ipmatch":
      return operand.kind === "addresses" && typeof left === "string" && isAmong(left, operand.values);
  }
}

function found(text: string, { regex }: Extract<Operand, { kind: "regex" }>): boolean {
  return new RegExp(regex.source, regex.flags).test(regex.utf8 ? characters(text) : text);
}

function equal(left: Value, operand: Operand): boolean {
  if (operand.kind === "null") return left === undefined;
  if (operand.kind === "text" || operand.kind === "number") return equalValue(left, operand.value);
  return false;
}

/** A number on the right converts the left; a text on the right must be the very text. */
function equalValue(left: Value, right: string | number): boolean {
  return typeof right === "number" ? number(left) === right : left === right;
}

/** NaN, which equals and exceeds nothing, for what is no decimal number. */
function number(value: Value): number {
  if (typeof value === "number") return value;
  const text = (value ?? "").replace(/^[ \t]+|[ \t]+$/g, "");
  return /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
}

function bound(operand: Operand): number {
  return operand.kind === "number" ? operand.value : Number.NaN;
}
