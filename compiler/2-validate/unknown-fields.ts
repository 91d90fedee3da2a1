import { follow, type SchemaNode } from "../../schema/schemas.js";
import { nearest } from "../diagnostics/nearest.js";

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
