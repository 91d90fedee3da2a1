import { isObject } from "../../runtime/abi/json-object.js";
import type { SchemaNode } from "../../schema/schemas.js";
import { alternative } from "./alternatives.js";
import { findFormat, formatErrorText } from "./formats.js";
import type { SchemaFault, Step } from "./schema-faults.js";

/** The reference finds the fault apart from the schema, so that its text has no prefix. */
export function ruleText(fault: SchemaFault): string | undefined {
  const meant = meantFault(fault);
  if (meant !== fault) return ruleText(meant);
  const { node, value, steps } = fault;
  const ofFormat = formatRule(fault);
  if (ofFormat !== undefined) return ofFormat;
  const rule = steps.reduceRight(
    (found, step) => found ?? (step.kind === "then" ? step.node["x-error-rule"] : undefined),
    node["x-error-rule"],
  );
  if (rule === undefined) return undefined;
  const last = steps.at(-1);
  const name = last && "name" in last ? last.name : "";
  const json = JSON.stringify(value);
  const shown = fault.secret ? '"***"' : typeof value === "string" ? json : `"${json}"`;
  return rule.replace(/\{(name|value)\}/g, (_, hole: string) => (hole === "name" ? name : shown));
}

/** A text that is too short also misses the format of its node. */
function formatRule({ keyword, field, node, value }: SchemaFault): string | undefined {
  const isName = keyword.startsWith("name:");
  if (!/^(?:name:)?(?:format|minLength)$/.test(keyword)) return undefined;
  const format = findFormat(node.format);
  if (isName) return format?.nameRule ? format.nameRule(field ?? "") : format?.rule?.(field ?? "");
  return typeof value === "string" ? format?.rule?.(value) : undefined;
}

/** Fault of the alternative that was meant, which says more than that none fits; otherwise the fault itself. */
function meantFault(fault: SchemaFault): SchemaFault {
  if (fault.keyword !== "anyOf" || fault.node["x-error-text"] !== undefined) return fault;
  const cause = alternative(fault);
  const [first] = cause.kind === "branch" ? cause.faults : [];
  return first ? meantFault(first) : fault;
}

/** With the steps that lead to the fault. */
export function faultText(whole: SchemaFault): string {
  const fault = meantFault(whole);
  const steps = [...fault.steps];
  let text = fault.node["x-error-text"];
  if (text === undefined) text = leafText(fault);
  else dropUnnamed(steps);
  while (steps.length > 0) {
    const step = steps.pop();
    if (step === undefined) break;
    const fixed = step.kind === "then" ? step.node["x-error-text"] : undefined;
    // The number of the clause says nothing; the fault inside it does.
    if (step.kind === "then") dropUnnamed(steps);
    text = fixed ?? stepText(step, text);
  }
  return text;
}

/** A custom text describes the whole check, so that "allOf 1 failed" is dropped. */
function dropUnnamed(steps: Step[]): void {
  while (["allOf", "then", "dependency"].includes(steps.at(-1)?.kind ?? "")) steps.pop();
}

function stepText(step: Step, inner: string): string {
  switch (step.kind) {
    case "property":
      return `property "${step.name}" validation failed: ${inner}`;
    case "additional":
      return `failed to validate ${step.name} (matching ".*"): ${inner}`;
    case "item":
      return `failed to validate item ${step.index + 1}: ${inner}`;
    case "allOf":
      return `allOf ${step.index + 1} failed: ${inner}`;
    case "dependency":
      return `failed to validate dependent schema for "${step.name}": ${inner}`;
    case "then":
      return inner;
  }
}

function leafText(fault: SchemaFault): string {
  const { node, value } = fault;
  const shown = fault.secret ? "***" : value;
  const length = typeof value === "string" ? [...value].length : 0;
  switch (fault.keyword.replace(/^name:/, "")) {
    case "required":
      return `property "${fault.field}" is required`;
    case "type":
      return typeText([node.type ?? []].flat(), value);
    case "enum":
      return enumText(node.enum ?? [], value);
    case "const":
      return "matches none of the enum values";
    case "minimum":
      return `expected ${shown} to be at least ${node.minimum}`;
    case "maximum":
      return `expected ${shown} to be at most ${node.maximum}`;
    case "exclusiveMinimum":
      return `expected ${shown} to be greater than ${node.exclusiveMinimum}`;
    case "minLength":
      return `string too short, expected at least ${node.minLength}, got ${length}`;
    case "maxLength":
      return `string too long, expected at most ${node.maxLength}, got ${length}`;
    case "pattern":
      return patternText(node, String(shown));
    case "format":
      return formatErrorText(node.format ?? "", String(shown));
    default:
      return structureText(fault);
  }
}

/** The reference names a type with its choices and checks it first. */
function enumText(choices: readonly unknown[], value: unknown): string {
  const [type, ...others] = new Set(choices.map(typeOfChoice));
  const isOther = type !== undefined && others.length === 0 && type !== typeOfChoice(value);
  return isOther ? typeText([type], value) : "matches none of the enum values";
}

const typeOfChoice = (value: unknown): string => (Number.isInteger(value) ? "integer" : typeof value);

function patternText(
  { pattern = "", "x-error-pattern": spelt = pattern }: SchemaNode,
  value: string,
): string {
  return `failed to match pattern "${spelt.replaceAll("\\", "\\\\")}" with "${value}"`;
}

function structureText(fault: SchemaFault): string {
  const { node } = fault;
  switch (fault.keyword) {
    case "additionalProperties":
      return `additional properties forbidden, found ${fault.field}`;
    case "minProperties":
      return `expect object to have at least ${node.minProperties} properties`;
    case "maxProperties":
      return `expect object to have at most ${node.maxProperties} properties`;
    case "minItems":
      return `expect array to have at least ${node.minItems} items`;
    case "maxItems":
      return `expect array to have at most ${node.maxItems} items`;
    case "uniqueItems": {
      const [first, second] = (fault.equal ?? [0, 0]).map((index) => index + 1);
      return `expected unique items but items ${first} and ${second} are equal`;
    }
    case "not":
      return "value wasn't supposed to match schema";
    case "anyOf":
      return anyOfText(fault);
    default:
      return oneOfText(fault);
  }
}

function oneOfText(fault: SchemaFault): string {
  const fitting = (fault.branches ?? []).flatMap((branch, index) => (branch.length === 0 ? [index + 1] : []));
  return fitting.length === 0
    ? "value should match only one schema, but matches none"
    : `value should match only one schema, but matches both schemas ${fitting[0]} and ${fitting[1]}`;
}

/** Sets of fields of which one is required; otherwise the types that would fit. */
function anyOfText(fault: SchemaFault): string {
  const cause = alternative(fault);
  if (cause.kind === "type") return typeText([...new Set(cause.types)], fault.value);
  const sets = (fault.options ?? []).flatMap((option) =>
    option.required ? [JSON.stringify(option.required)] : [],
  );
  return `object matches none of the required${sets.length === 0 ? "" : `: ${sets.join(" or ")}`}`;
}

function typeText(types: string[], value: unknown): string {
  const got =
    value === null || value === undefined
      ? "nil"
      : Array.isArray(value) || isObject(value)
        ? "table"
        : typeof value;
  return types.length === 1
    ? `wrong type: expected ${types[0]}, got ${got}`
    : `wrong type: expected one of ${types.join(", ")}, got ${got}`;
}
