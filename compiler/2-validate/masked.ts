import { isObject } from "../../runtime/abi/json-object.js";
import type { SchemaNode } from "../../schema/schemas.js";
import { type Kind, schemaOfKind } from "../model/resource.js";
import type { Path } from "../model/source.js";
import { exposedSecretPaths, isExposed } from "./annotations.js";
import { type Described, describedBy } from "./described.js";
import { isDisabled } from "./plugins.js";

/**
 * Paths of plain-text secrets, defaults of variables included, and of texts of disabled plugins for which the
 * schema has no text. Disabled plugins may be unfinished: a misspelt field may hold a secret, and nothing
 * else checks it.
 */
export function maskedPaths(kind: Kind, value: unknown): Path[] {
  const found = exposedSecretPaths(kind, value);
  const plugins = isObject(value) && isObject(value["plugins"]) ? value["plugins"] : {};
  for (const [name, settings] of Object.entries(plugins)) {
    if (!isObject(settings) || !isDisabled(settings)) continue;
    const described = describedBy(schemaOfKind(kind)).at("plugins").at(name);
    for (const [field, member] of Object.entries(settings))
      if (field !== "_meta") collect(described.at(field), member, ["plugins", name, field], found);
  }
  return found;
}

function collect(described: Described, value: unknown, path: Path, found: Path[]): void {
  const all = described.places.map(({ node }) => node);
  if (typeof value === "string") {
    if (isExposed(value) && !all.some(describesText)) found.push(path);
    return;
  }
  if (typeof value !== "object" || value === null || all.some((node) => describesAll(node, value))) return;
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  for (const [step, member] of members) collect(described.at(step), member, [...path, step], found);
}

const hasType = ({ type }: SchemaNode, wanted: string): boolean => [type].flat().includes(wanted as never);

/** The text is valid here, or a secret, whose path is known. */
function describesText(node: SchemaNode): boolean {
  return (
    node["x-secret"] === true ||
    hasType(node, "string") ||
    (node.type === undefined && [node.const, ...(node.enum ?? [])].some((one) => typeof one === "string"))
  );
}

/** Everything in a list or an object is valid if the schema describes it no further. */
function describesAll(node: SchemaNode, value: object): boolean {
  if (Array.isArray(value)) return hasType(node, "array") && node.items === undefined;
  const { properties, additionalProperties } = node;
  return hasType(node, "object") && properties === undefined && (additionalProperties ?? true) === true;
}
