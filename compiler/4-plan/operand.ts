import { isIPv4, isIPv6 } from "node:net";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { NUMBER } from "../../runtime/abi/text/compare.js";
import type { Availability, Variable } from "../../runtime/abi/variables.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { PatternScope } from "../model/pattern-subject.js";
import type { Condition, ConfigPath, Operand, Operator } from "../model/plan.js";
import type { RouteGuarantees } from "../model/resolved.js";
import type { Path, Spans } from "../model/source.js";
import { variableSubject } from "../variables/subject.js";
import { planRegex } from "./plan-regex.js";

/** Comparison whose right side is to be planned. */
export interface OperandRequest {
  name: string;
  variable: Variable;
  operator: Operator;
  negated: boolean;
  value: unknown;
  /** Path of the value; `whole` is that of the comparison. */
  path: Path;
  whole: Path;
}

/** Variables whose text never looks like an address. */
const NEVER_ADDRESSES: ReadonlySet<string> = new Set([
  "uri",
  "request_uri",
  "request_method",
  "method",
  "scheme",
  "server_protocol",
  "request",
  "request_line",
]);

/** Plans the right side. @returns undefined after a fault that leaves nothing to compare with */
export function planOperand(request: OperandRequest, scope: ConditionScope): Operand | undefined {
  switch (request.operator) {
    case "==":
    case "~=":
      return equalityOperand(request, scope);
    case ">":
    case ">=":
    case "<":
    case "<=":
      return orderOperand(request, scope);
    case "~~":
    case "~*":
      return regexOperand(request, scope);
    case "in":
      return listOperand(request, scope);
    case "has":
      return hasOperand(request, scope);
    case "ipmatch":
      return addressOperand(request, scope);
  }
}

function malformed(request: OperandRequest, scope: ConditionScope, reason: string, help: string): undefined {
  scope.fault("GW4010", request.path, { reason }, help);
  return undefined;
}

/**
 * Reports a comparison with the same outcome for every request: never (an error), or always if negated or
 * `~=` (a warning).
 */
function constant(request: OperandRequest, scope: ConditionScope, reason: string, help?: string): void {
  const holds = request.negated !== (request.operator === "~=");
  scope.fault(holds ? "GW4014" : "GW4012", request.whole, { reason }, help);
}

/** Returns the comparison with another operator and value, negated if it is negated. */
const written = ({ name, negated }: OperandRequest, operator: Operator, value: unknown): string =>
  `[${[name, ...(negated ? ["!"] : []), operator, value].map((item) => JSON.stringify(item)).join(", ")}]`;

function equalityOperand(request: OperandRequest, scope: ConditionScope): Operand | undefined {
  const { name, variable, operator, value } = request;
  if (value === null) {
    if (variable.emptyIsAbsent) return { kind: "text", value: "" };
    if (!variable.optional) constant(request, scope, `${name} is never absent`);
    return { kind: "null" };
  }
  if (typeof value === "boolean") {
    constant(
      request,
      scope,
      `${name} is a ${variable.type}, never ${value}`,
      `compare with the text "${value}"`,
    );
    return { kind: "boolean", value };
  }
  if (typeof value === "number") return { kind: "number", value };
  if (typeof value !== "string") {
    return malformed(request, scope, `"${operator}" compares with one value`, 'use "in" for a list');
  }
  if (variable.type === "number") {
    const help = NUMBER.test(value) ? `write ${written(request, operator, Number(value))}` : undefined;
    constant(request, scope, `${name} is a number, never the text ${JSON.stringify(value)}`, help);
  }
  return { kind: "text", value: utf8(value) };
}

function orderOperand(request: OperandRequest, scope: ConditionScope): Operand | undefined {
  const { operator, value } = request;
  if (typeof value === "number") return { kind: "number", value };
  if (typeof value === "string" && NUMBER.test(value)) return { kind: "number", value: Number(value) };
  if (typeof value === "object") {
    return malformed(request, scope, `"${operator}" compares with one number`, "write a number");
  }
  constant(request, scope, `"${operator}" compares numbers, and ${JSON.stringify(value)} is not a number`);
  return { kind: "text", value: utf8(String(value)) };
}

function regexOperand(request: OperandRequest, scope: ConditionScope): Operand | undefined {
  const { operator, value, path, name } = request;
  if (typeof value !== "string") {
    return malformed(request, scope, `"${operator}" needs a regular expression`, "write it as a text");
  }
  const options = operator === "~*" ? "i" : "";
  const { patterns } = scope;
  const subject = variableSubject(name, patterns);
  const span = scope.spans.value(path);
  const input = { pattern: value, options, captures: [], subject, budget: patterns.budget, span };
  const planned = planRegex(input, scope.report);
  return planned === undefined ? undefined : { kind: "regex", regex: planned.regex };
}

function listOperand(request: OperandRequest, scope: ConditionScope): Operand | undefined {
  const { name, variable, value } = request;
  if (!Array.isArray(value)) return malformed(request, scope, '"in" needs a list', "write [value, value]");
  const values: (string | number)[] = [];
  for (const item of value as readonly unknown[]) {
    if (typeof item === "number") values.push(item);
    else if (typeof item === "string") values.push(utf8(item));
    else return malformed(request, scope, '"in" compares with texts and numbers', "remove the others");
  }
  if (values.length === 0) constant(request, scope, "the list is empty");
  // GW3071 names the texts of a list that has both numbers and texts.
  const isAllTexts = values.length > 0 && values.every((item) => typeof item === "string");
  if (variable.type === "number" && isAllTexts) {
    const numbers = values.every((item) => NUMBER.test(String(item))) ? values.map(Number) : undefined;
    const help = numbers && `write ${written(request, "in", numbers)}`;
    constant(request, scope, `${name} is a number, never the text ${JSON.stringify(values[0])}`, help);
  }
  return { kind: "list", values };
}

function hasOperand(request: OperandRequest, scope: ConditionScope): Operand | undefined {
  const { name, variable, value } = request;
  if (typeof value !== "string" && typeof value !== "number") {
    return malformed(request, scope, '"has" looks for one text or number', "write one value");
  }
  const help = `"has" looks inside a list; write ${written(request, "==", value)}`;
  constant(request, scope, `${name} is a ${variable.type}, not a list`, help);
  return typeof value === "number" ? { kind: "number", value } : { kind: "text", value: utf8(value) };
}

function addressOperand(request: OperandRequest, scope: ConditionScope): Operand | undefined {
  const { name, variable, value, path } = request;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0 || list.some((item) => typeof item !== "string")) {
    return malformed(
      request,
      scope,
      "invalid ip address",
      'write an address such as "10.0.0.0/8", or a list',
    );
  }
  if (variable.type === "number" || NEVER_ADDRESSES.has(name)) scope.fault("GW4016", request.whole, { name });
  const values = list.map(String);
  values.forEach((address, i) => {
    if (isAddress(address)) return;
    scope.fault("GW4015", Array.isArray(value) ? [...path, i] : path, { address });
  });
  return { kind: "addresses", values };
}

/** Reports whether a text is an IPv4 or IPv6 address, or a block in CIDR form. */
function isAddress(text: string): boolean {
  const [address = "", bits, more] = text.split("/");
  if (more !== undefined) return false;
  const longest = isIPv4(address) ? 32 : isIPv6(address) && !address.includes("%") ? 128 : -1;
  if (longest < 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
}

/** State of the expression that is being planned: its spans, its paths and how to report faults. */
export interface ConditionScope extends ConditionContext {
  patterns: PatternScope;
  spans: Spans;
  /** Path of each comparison. */
  places: Map<Condition, Path>;
  fault(code: string, path: Path, params?: Params, help?: string): void;
}

export type Params = Record<string, string | number>;

export interface ConditionContext {
  report(diagnostic: Diagnostic): void;
  origin(path: Path): ConfigPath;
  /** Stage of the exchange at which the expression is evaluated. */
  now: Availability;
  /** The expression's use, in an operator's words: "vars of a route". */
  place: string;
  /** Name of the field in `error_msg`. Default: "vars". */
  field?: string;
  /** Default: a new scope with default limits. */
  patterns?: PatternScope;
  /** Default: no guarantees. */
  guarantees?: RouteGuarantees | undefined;
}
