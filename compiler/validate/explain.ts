import { isDeepStrictEqual } from "node:util";
import { follow, type SchemaNode, type SchemaPlace } from "../../schema/schemas.js";
import type { Path } from "../parse/source.js";
import { findFormat } from "./formats.js";

/** A step from the root of the value; `allOf` and `then` lead to the same value and matter to texts only. */
export type Step =
  | { kind: "property"; name: string }
  /** A field that only `additionalProperties` describes. */
  | { kind: "additional"; name: string }
  | { kind: "item"; index: number }
  | { kind: "allOf"; index: number }
  | { kind: "then"; node: SchemaNode }
  | { kind: "dependency"; name: string };

/** One way in which a value misses its schema. */
export interface Fault {
  keyword: string;
  steps: readonly Step[];
  /** Place of the value at fault. */
  path: Path;
  /** The schema that holds `keyword`, and its file. */
  node: SchemaNode;
  file: string;
  value: unknown;
  /** The field that is missing, unknown or badly named. */
  field?: string;
  /** Faults of each branch of anyOf or oneOf; an empty list is a branch that fits. */
  branches?: Fault[][];
  /** Branches themselves, references followed. */
  options?: SchemaNode[];
  /** The two equal items of a list. */
  equal?: [number, number];
  /** The value or something it stands in is marked x-secret. */
  secret: boolean;
}

interface Cursor {
  steps: readonly Step[];
  path: Path;
  secret: boolean;
}

/**
 * Every fault of a value, in schema order. ajv decides whether a value is valid; this says why it is not, in a form
 * that keeps alternatives apart. The two are held together by a property test.
 */
export function explain(place: SchemaPlace, value: unknown): Fault[] {
  return check(place, value, { steps: [], path: [], secret: false });
}

function check(place: SchemaPlace, value: unknown, cursor: Cursor): Fault[] {
  const { file, node } = follow(place);
  const at: Cursor = node["x-secret"] ? { ...cursor, secret: true } : cursor;
  const fault = (keyword: string, more: Partial<Fault> = {}): Fault => ({
    keyword,
    node,
    file,
    value,
    ...at,
    ...more,
  });
  const typed = node.type === undefined || [node.type].flat().some((type) => isType(value, type));
  if (!typed) return [fault("type")];
  const scalar = scalarKeyword(node, value);
  if (scalar !== undefined) return [fault(scalar)];
  const inside = (child: SchemaNode): SchemaPlace => ({ file, node: child });
  return [
    ...(isObject(value) ? objectFaults(node, value, at, inside, fault) : []),
    ...(Array.isArray(value) ? listFaults(node, value, at, inside, fault) : []),
    ...combined(node, value, at, inside, fault),
  ];
}

type Inside = (child: SchemaNode) => SchemaPlace;
type Make = (keyword: string, more?: Partial<Fault>) => Fault;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isType(value: unknown, type: string): boolean {
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** First keyword about numbers, texts and constants that the value fails. */
function scalarKeyword(node: SchemaNode, value: unknown): string | undefined {
  if (node.enum !== undefined && !node.enum.includes(value)) return "enum";
  if ("const" in node && node.const !== value) return "const";
  if (typeof value === "number") {
    if (node.minimum !== undefined && value < node.minimum) return "minimum";
    if (node.maximum !== undefined && value > node.maximum) return "maximum";
    if (node.exclusiveMinimum !== undefined && value <= node.exclusiveMinimum) return "exclusiveMinimum";
  }
  if (typeof value === "string") {
    const length = [...value].length;
    if (node.minLength !== undefined && length < node.minLength) return "minLength";
    if (node.maxLength !== undefined && length > node.maxLength) return "maxLength";
    if (node.pattern !== undefined && !new RegExp(node.pattern, "u").test(value)) return "pattern";
    if (findFormat(node.format)?.fault(value) !== undefined) return "format";
  }
  return undefined;
}

function objectFaults(
  node: SchemaNode,
  value: Record<string, unknown>,
  at: Cursor,
  inside: Inside,
  fault: Make,
): Fault[] {
  const faults: Fault[] = [];
  const { properties = {}, required = [], additionalProperties: others } = node;
  const below = (name: string): Cursor => step(at, { kind: "property", name });
  for (const [name, child] of Object.entries(properties))
    if (Object.hasOwn(value, name)) faults.push(...check(inside(child), value[name], below(name)));
    else if (required.includes(name)) faults.push(fault("required", { field: name }));
  for (const name of required)
    if (!Object.hasOwn(value, name) && !Object.hasOwn(properties, name))
      faults.push(fault("required", { field: name }));
  for (const [name, member] of Object.entries(value)) {
    if (node.propertyNames !== undefined)
      for (const named of check(inside(node.propertyNames), name, at))
        faults.push({ ...named, keyword: `name:${named.keyword}`, field: name });
    if (Object.hasOwn(properties, name)) continue;
    if (others === false) faults.push(fault("additionalProperties", { field: name }));
    else if (typeof others === "object")
      faults.push(...check(inside(others), member, step(at, { kind: "additional", name })));
  }
  if (node.minProperties !== undefined && Object.keys(value).length < node.minProperties)
    faults.push(fault("minProperties"));
  for (const [name, child] of Object.entries(node.dependencies ?? {}))
    if (Object.hasOwn(value, name))
      faults.push(...check(inside(child), value, step(at, { kind: "dependency", name })));
  return faults;
}

function listFaults(node: SchemaNode, value: unknown[], at: Cursor, inside: Inside, fault: Make): Fault[] {
  const faults: Fault[] = [];
  const { items } = node;
  if (items !== undefined)
    value.forEach((item, index) => {
      faults.push(...check(inside(items), item, step(at, { kind: "item", index })));
    });
  if (node.minItems !== undefined && value.length < node.minItems) faults.push(fault("minItems"));
  if (node.maxItems !== undefined && value.length > node.maxItems) faults.push(fault("maxItems"));
  const equal = node.uniqueItems ? equalItems(value) : undefined;
  if (equal !== undefined) faults.push(fault("uniqueItems", { equal }));
  return faults;
}

function equalItems(list: unknown[]): [number, number] | undefined {
  for (let second = 1; second < list.length; second++)
    for (let first = 0; first < second; first++)
      if (isDeepStrictEqual(list[first], list[second])) return [first, second];
  return undefined;
}

function combined(node: SchemaNode, value: unknown, at: Cursor, inside: Inside, fault: Make): Fault[] {
  const faults: Fault[] = [];
  if (node.not !== undefined && check(inside(node.not), value, at).length === 0) faults.push(fault("not"));
  node.allOf?.forEach((child, index) => {
    faults.push(...check(inside(child), value, step(at, { kind: "allOf", index })));
  });
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const children = node[keyword];
    if (children === undefined) continue;
    const branches = children.map((child) => check(inside(child), value, at));
    const fitting = branches.filter((branch) => branch.length === 0).length;
    if (fitting === 0 || (keyword === "oneOf" && fitting > 1))
      faults.push(fault(keyword, { branches, options: children.map((child) => follow(inside(child)).node) }));
  }
  if (node.if !== undefined && node.then !== undefined && check(inside(node.if), value, at).length === 0)
    faults.push(...check(inside(node.then), value, step(at, { kind: "then", node })));
  return faults;
}

function step(at: Cursor, next: Step): Cursor {
  const named = next.kind === "property" || next.kind === "additional";
  const key = named ? next.name : next.kind === "item" ? next.index : undefined;
  return { ...at, steps: [...at.steps, next], path: key === undefined ? at.path : [...at.path, key] };
}
