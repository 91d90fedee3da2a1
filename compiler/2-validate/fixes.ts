import { isObject } from "../../runtime/abi/json-object.js";
import { follow, type SchemaNode } from "../../schema/schemas.js";
import { nearest } from "../diagnostics/nearest.js";
import type { Fix, Span } from "../model/diagnostic.js";
import type { Path, Spanned } from "../model/source.js";
import { collectFaults, type SchemaFault } from "./schema-faults.js";

/** Words that earlier versions of YAML read as true or false. */
export const SWITCHES: Readonly<Record<string, boolean>> = { yes: true, on: true, no: false, off: false };

/** A fix exists if only one way is meant. */
export function fixed(fix: Fix | undefined): { fix?: Fix } {
  return fix === undefined ? {} : { fix };
}

const from = ({ at = [] }: Spanned, path: Path): Path => [...at, ...path];

/** An environment variable has only its value here, not the text in the source. */
function isWritten({ start, end }: Span, text: string): boolean {
  const width = end.column - start.column;
  return start.line === end.line && (width === text.length || width === text.length + 2);
}

/** @returns undefined if there is a field of that name */
export function renameFix(located: Spanned, path: Path, field: string, to: string): Fix | undefined {
  const key = [...path, field];
  let owner: unknown = located.value;
  for (const step of path) owner = (owner as Record<string | number, unknown>)[step];
  if (!isObject(owner) || Object.hasOwn(owner, to)) return undefined;
  if (!isWritten(located.spans.key(key), field)) return undefined;
  return { op: "rename", path: from(located, key), to };
}

/** `write "target": the path with the query` names the field that is meant. */
const INSTEAD = /^write "([^"]+)"(?::|$)/;

/** Most probable meaning of an unknown field. */
export function meantField(
  field: string,
  { properties = {}, "x-field-hints": instead }: SchemaFault["node"],
) {
  const named = instead !== undefined && Object.hasOwn(instead, field) ? instead[field] : undefined;
  const meant =
    named === undefined
      ? nearest(
          field,
          Object.keys(properties).filter((name) => !/^(?:create|update)_time$/.test(name)),
        )
      : INSTEAD.exec(named)?.[1];
  return meant !== undefined && Object.hasOwn(properties, meant) ? meant : undefined;
}

/** @returns undefined for a secret */
export function valueFix(
  located: Spanned,
  { path, value, secret }: SchemaFault,
  to: unknown,
): Fix | undefined {
  if (secret || !isWritten(located.spans.value(path), String(value))) return undefined;
  return { op: "replace", path: from(located, path), value: to };
}

export function typeFix(located: Spanned, fault: SchemaFault, types: readonly string[]): Fix | undefined {
  const to = converted(fault, types);
  return to === undefined ? undefined : valueFix(located, fault, to);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function converted({ value, node, file }: SchemaFault, types: readonly string[]): unknown {
  if (typeof value === "string") {
    const number = NUMBER.test(value) ? Number(value) : undefined;
    const fits = types.includes("number") || (types.includes("integer") && Number.isInteger(number));
    if (number !== undefined && Number.isFinite(number) && fits) return number;
    if (types.includes("boolean")) {
      const word = value.toLowerCase();
      if (word === "true" || word === "false") return word === "true";
      if (Object.hasOwn(SWITCHES, word)) return SWITCHES[word];
    }
  }
  const isScalar = ["string", "number", "boolean"].includes(typeof value);
  if (isScalar && typeof value !== "string" && types.includes("string")) return String(value);
  const isItem = isScalar && types.includes("array") && node.items !== undefined;
  return isItem && collectFaults({ file, node: node.items ?? {} }, value).length === 0 ? [value] : undefined;
}

/** @returns undefined unless the field has a single possible or a usual value */
export function missingFix(located: Spanned, { field, node, file, path }: SchemaFault): Fix | undefined {
  const child = field === undefined ? undefined : node.properties?.[field];
  if (field === undefined || child === undefined) return undefined;
  const { node: schema } = follow({ file, node: child });
  const only = schema.enum?.length === 1 ? schema.enum[0] : schema.const;
  const value = schema.default ?? only;
  return value === undefined ? undefined : { op: "add", path: from(located, [...path, field]), value };
}

export const removeFix = (located: Spanned, path: Path): Fix => ({ op: "remove", path: from(located, path) });

const LUA =
  'Lua code is not run by this gateway; write a condition in "vars", or in "_meta.filter" for one plugin';
const ACTIVE =
  'requests that only check a node are not part of this version; what becomes of requests checks nodes, as "checks.passive" says';
const DISCOVERY = 'nodes are listed in "nodes"; service discovery is not part of this version';

/** Left out on purpose from configurations for Apache APISIX (reference 13, 40). */
const ELSEWHERE: Readonly<Record<string, string>> = {
  filter_func: LUA,
  script: LUA,
  script_id: LUA,
  pre_function: LUA,
  active: ACTIVE,
  service_name: DISCOVERY,
  discovery_type: DISCOVERY,
  discovery_args: DISCOVERY,
};

export function unknownFieldHelp(field: string, node: SchemaNode, file: string): string | undefined {
  const left = Object.hasOwn(ELSEWHERE, field) ? ELSEWHERE[field] : undefined;
  if (left !== undefined) return left;
  const instead = node["x-field-hints"];
  if (instead !== undefined && Object.hasOwn(instead, field)) return instead[field];
  const known = Object.keys(node.properties ?? {}).filter((name) => !/^(?:create|update)_time$/.test(name));
  const meta = node.properties?.["_meta"];
  if (meta !== undefined && follow({ file, node: meta }).node.properties?.[field] !== undefined)
    return `did you mean "_meta.${field}"?`;
  const near = nearest(field, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  if (node["x-help"] !== undefined) return node["x-help"];
  if (known.length === 0) return undefined;
  return known.length <= 14 ? `known fields: ${known.join(", ")}` : undefined;
}
