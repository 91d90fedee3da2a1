import { isObject } from "../../runtime/abi/json-object.js";
import { follow, type SchemaNode, type SchemaPlace } from "../../schema/schemas.js";
import type { Path } from "../model/source.js";
import { findFormat } from "./formats.js";
import { equalItems } from "./keyword-functions.js";

/** Keywords of JSON Schema that are checked here or mean nothing to a value; schemas use no others. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "$ref $schema title description default deprecated examples type enum const minimum maximum exclusiveMinimum minLength maxLength pattern " +
    "format items minItems maxItems uniqueItems properties required propertyNames additionalProperties minProperties " +
    "maxProperties dependencies allOf anyOf oneOf not if then definitions"
  ).split(" "),
);

/** `allOf` and `then` lead to the same value and matter to texts only. */
export type Step =
  | { kind: "property"; name: string }
  /** A field that only `additionalProperties` describes. */
  | { kind: "additional"; name: string }
  | { kind: "item"; index: number }
  | { kind: "allOf"; index: number }
  | { kind: "then"; node: SchemaNode }
  | { kind: "dependency"; name: string };

export interface SchemaFault {
  keyword: string;
  steps: readonly Step[];
  path: Path;
  /** Schema that holds `keyword`; `file` contains it. */
  node: SchemaNode;
  file: string;
  value: unknown;
  /** Field that is missing, unknown or badly named. */
  field?: string;
  /** Faults of each branch of anyOf or oneOf; an empty list is a branch that fits. */
  branches?: SchemaFault[][];
  options?: SchemaNode[];
  equal?: [number, number];
  /** The value or one around it is marked x-secret. */
  secret: boolean;
  /** Number of faults after this one that are not listed. */
  more?: number;
}

export const MAX_FAULTS = 100;

/** Faults in schema order. A body may hold a million, and each listed one costs a lookup of its source. */
class Faults {
  readonly told: SchemaFault[] = [];
  more = 0;

  add(fault: SchemaFault): void {
    if (this.told.length < MAX_FAULTS) this.told.push(fault);
    else this.more += 1;
  }

  take({ told, more }: Faults): void {
    for (const fault of told) this.add(fault);
    this.more += more;
  }

  get none(): boolean {
    return this.told.length === 0;
  }

  /** The last fault counts those that are not listed. */
  list(): SchemaFault[] {
    const last = this.told.at(-1);
    return this.more === 0 || last === undefined
      ? this.told
      : [...this.told.slice(0, -1), { ...last, more: this.more }];
  }
}

interface Cursor {
  steps: readonly Step[];
  path: Path;
  secret: boolean;
}

/**
 * Returns faults in schema order, at most 100. ajv decides whether a value is valid; this function finds the
 * reasons, and keeps alternatives apart. A property test checks that both agree.
 */
export function collectFaults(place: SchemaPlace, value: unknown): SchemaFault[] {
  return check(place, value, { steps: [], path: [], secret: false }).list();
}

function check(place: SchemaPlace, value: unknown, cursor: Cursor): Faults {
  const faults = new Faults();
  const { file, node } = follow(place);
  const at: Cursor = node["x-secret"] ? { ...cursor, secret: true } : cursor;
  const fault = (keyword: string, more: Partial<SchemaFault> = {}): SchemaFault => ({
    keyword,
    node,
    file,
    value,
    ...at,
    ...more,
  });
  const typed = node.type === undefined || [node.type].flat().some((type) => isType(value, type));
  const wrong = typed ? scalarKeyword(node, value) : "type";
  if (wrong !== undefined) {
    faults.add(fault(wrong));
    return faults;
  }
  const looked: Looked = { node, at, faults, fault, inside: (child) => ({ file, node: child }) };
  if (isObject(value)) objectFaults(value, looked);
  if (Array.isArray(value)) listFaults(value, looked);
  combined(value, looked);
  return faults;
}

interface Looked {
  node: SchemaNode;
  at: Cursor;
  faults: Faults;
  fault: (keyword: string, more?: Partial<SchemaFault>) => SchemaFault;
  inside: (child: SchemaNode) => SchemaPlace;
}

function isType(value: unknown, type: string): boolean {
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

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

function objectFaults(value: Record<string, unknown>, { node, at, faults, fault, inside }: Looked): void {
  const { properties = {}, required = [], additionalProperties: others } = node;
  const below = (name: string): Cursor => step(at, { kind: "property", name });
  for (const [name, child] of Object.entries(properties))
    if (Object.hasOwn(value, name)) faults.take(check(inside(child), value[name], below(name)));
    else if (required.includes(name)) faults.add(fault("required", { field: name }));
  for (const name of required)
    if (!Object.hasOwn(value, name) && !Object.hasOwn(properties, name))
      faults.add(fault("required", { field: name }));
  // Most parts of a schema for the same value do not describe other fields.
  const free = node.propertyNames === undefined && (others === undefined || others === true);
  for (const [name, member] of free ? [] : Object.entries(value)) {
    if (node.propertyNames !== undefined)
      for (const named of check(inside(node.propertyNames), name, at).list())
        faults.add({ ...named, keyword: `name:${named.keyword}`, field: name });
    if (Object.hasOwn(properties, name)) continue;
    if (others === false) faults.add(fault("additionalProperties", { field: name }));
    else if (typeof others === "object")
      faults.take(check(inside(others), member, step(at, { kind: "additional", name })));
  }
  if (node.minProperties !== undefined && Object.keys(value).length < node.minProperties)
    faults.add(fault("minProperties"));
  if (node.maxProperties !== undefined && Object.keys(value).length > node.maxProperties)
    faults.add(fault("maxProperties"));
  for (const [name, child] of Object.entries(node.dependencies ?? {}))
    if (Object.hasOwn(value, name))
      faults.take(check(inside(child), value, step(at, { kind: "dependency", name })));
}

function listFaults(value: unknown[], { node, at, faults, fault, inside }: Looked): void {
  const { items } = node;
  if (items !== undefined)
    value.forEach((item, index) => {
      faults.take(check(inside(items), item, step(at, { kind: "item", index })));
    });
  if (node.minItems !== undefined && value.length < node.minItems) faults.add(fault("minItems"));
  if (node.maxItems !== undefined && value.length > node.maxItems) faults.add(fault("maxItems"));
  const equal = node.uniqueItems ? equalItems(value) : undefined;
  if (equal !== undefined) faults.add(fault("uniqueItems", { equal }));
}

function combined(value: unknown, { node, at, faults, fault, inside }: Looked): void {
  const holds = (child: SchemaNode) => check(inside(child), value, at).none;
  if (node.not !== undefined && holds(node.not)) faults.add(fault("not"));
  node.allOf?.forEach((child, index) => {
    faults.take(check(inside(child), value, step(at, { kind: "allOf", index })));
  });
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const children = node[keyword];
    if (children === undefined) continue;
    const branches = children.map((child) => check(inside(child), value, at).list());
    const fitting = branches.filter((branch) => branch.length === 0).length;
    if (fitting === 0 || (keyword === "oneOf" && fitting > 1))
      faults.add(fault(keyword, { branches, options: children.map((child) => follow(inside(child)).node) }));
  }
  if (node.if !== undefined && node.then !== undefined && holds(node.if))
    faults.take(check(inside(node.then), value, step(at, { kind: "then", node })));
}

function step(at: Cursor, next: Step): Cursor {
  const named = next.kind === "property" || next.kind === "additional";
  const key = named ? next.name : next.kind === "item" ? next.index : undefined;
  return { ...at, steps: [...at.steps, next], path: key === undefined ? at.path : [...at.path, key] };
}
