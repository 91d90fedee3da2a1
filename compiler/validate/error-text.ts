import { schemaFile } from "../../schema/schemas.js";
import type { Kind } from "../resolve/resource.js";
import { explain, type Fault, isObject, type Step } from "./explain.js";
import { formatErrorText } from "./formats.js";
import { KIND_SCHEMAS } from "./kinds.js";

/**
 * Text of the admin API for the first fault of a resource, in schema order (reference 1.10), without the prefix
 * "invalid configuration: "; undefined for a value that fits. Settings of plugins are not looked at.
 */
export function schemaErrorText(kind: Kind, value: unknown): string | undefined {
  const [first] = explain(schemaFile(KIND_SCHEMAS[kind].file), value);
  return first && faultText(first);
}

/** Text of one fault with the steps that lead to it. */
export function faultText(fault: Fault): string {
  const steps = [...fault.steps];
  let text = fault.node["x-error-text"];
  if (text === undefined) text = leafText(fault);
  else dropUnnamed(steps);
  while (steps.length > 0) {
    const step = steps.pop();
    if (step === undefined) break;
    const fixed = step.kind === "then" ? step.node["x-error-text"] : undefined;
    if (fixed !== undefined) dropUnnamed(steps);
    text = fixed ?? stepText(step, text);
  }
  return text;
}

/** A text of its own stands for the whole check, without "allOf 1 failed" before it. */
function dropUnnamed(steps: Step[]): void {
  while (["allOf", "then", "dependency"].includes(steps.at(-1)?.kind ?? "")) steps.pop();
}

function stepText(step: Step, inner: string): string {
  switch (step.kind) {
    case "property":
      return `property "${step.name}" validation failed: ${inner}`;
    case "additional":
      return `failed to validate additional property ${step.name}: ${inner}`;
    case "item":
      return `failed to validate item ${step.index + 1}: ${inner}`;
    case "allOf":
      return `allOf ${step.index + 1} failed: ${inner}`;
    case "dependency":
      return `failed to validate dependent schema for "${step.name}": ${inner}`;
    case "then":
      return "then clause did not match";
  }
}

function leafText(fault: Fault): string {
  const { node, value } = fault;
  const shown = fault.secret ? "***" : value;
  const length = typeof value === "string" ? [...value].length : 0;
  switch (fault.keyword.replace(/^name:/, "")) {
    case "required":
      return `property "${fault.field}" is required`;
    case "type":
      return typeText([node.type ?? []].flat(), value);
    case "enum":
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
      return `failed to match pattern "${(node.pattern ?? "").replaceAll("\\", "\\\\")}" with "${shown}"`;
    case "format":
      return formatErrorText(node.format ?? "", String(shown));
    default:
      return structureText(fault);
  }
}

function structureText(fault: Fault): string {
  const { node } = fault;
  switch (fault.keyword) {
    case "additionalProperties":
      return `additional properties forbidden, found ${fault.field}`;
    case "minProperties":
      return `expect object to have at least ${node.minProperties} properties`;
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
      return `object matches none of the required${requiredSets(fault)}`;
    default:
      return oneOfText(fault);
  }
}

function oneOfText(fault: Fault): string {
  const fitting = (fault.branches ?? []).flatMap((branch, index) => (branch.length === 0 ? [index + 1] : []));
  return fitting.length === 0
    ? "value should match only one schema, but matches none"
    : `value should match only one schema, but matches both schemas ${fitting[0]} and ${fitting[1]}`;
}

/** `: ["a"] or ["a","b"]` when branches name fields they need. */
function requiredSets(fault: Fault): string {
  const sets = (fault.options ?? []).flatMap((option) =>
    option.required ? [JSON.stringify(option.required)] : [],
  );
  return sets.length === 0 ? "" : `: ${sets.join(" or ")}`;
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
