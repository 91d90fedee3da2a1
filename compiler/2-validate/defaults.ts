import { isObject } from "../../runtime/abi/json-object.js";
import { follow, type SchemaNode, type SchemaPlace, schemaFile } from "../../schema/schemas.js";
import { collectFaults } from "./schema-faults.js";

/**
 * ajv leaves out defaults inside `anyOf`; this function uses the first alternative that fits.
 * @param file "plugins/syslog.json"
 */
export function withDefaults<T extends object>(file: string, value: T): T {
  return filled(schemaFile(file), value) as T;
}

function filled(place: SchemaPlace, value: unknown): unknown {
  const { file, node } = follow(place);
  if (!hasDefaults({ file, node })) return value;
  const inside = (child: SchemaNode): SchemaPlace => ({ file, node: child });
  const { items } = node;
  let result = value;
  if (Array.isArray(value) && items !== undefined) result = value.map((item) => filled(inside(items), item));
  else if (isObject(value)) result = filledObject(node, value, inside);
  else if (!Array.isArray(value)) return value;
  for (const all of node.allOf ?? []) result = filled(inside(all), result);
  const fitting = (node.anyOf ?? node.oneOf ?? []).find(
    (one) => collectFaults(inside(one), result).length === 0,
  );
  return fitting === undefined ? result : filled(inside(fitting), result);
}

function filledObject(
  { properties = {}, additionalProperties: others }: SchemaNode,
  value: Record<string, unknown>,
  inside: (child: SchemaNode) => SchemaPlace,
): Record<string, unknown> {
  const result = Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const node = own ?? (typeof others === "object" ? others : undefined);
      return [name, node === undefined ? member : filled(inside(node), member)];
    }),
  );
  for (const [name, child] of Object.entries(properties)) {
    if (Object.hasOwn(value, name)) continue;
    const fallback = child.default ?? follow(inside(child)).node.default;
    if (fallback !== undefined) result[name] = filled(inside(child), structuredClone(fallback));
  }
  return result;
}

/** Without a default anywhere in a value, nothing is copied and no alternative is tried. */
function hasDefaults(place: SchemaPlace): boolean {
  const known = withDefault.get(place.node);
  if (known !== undefined) return known;
  const found = defaultWithin(place, new Set());
  withDefault.set(place.node, found);
  return found;
}

const withDefault = new WeakMap<SchemaNode, boolean>();

/** @param seen visited nodes: a schema may contain itself */
function defaultWithin({ file, node }: SchemaPlace, seen: Set<SchemaNode>): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  const { properties = {}, additionalProperties: others, items, allOf = [], anyOf = [], oneOf = [] } = node;
  const children = [...Object.values(properties), ...allOf, ...anyOf, ...oneOf];
  if (typeof others === "object") children.push(others);
  if (items !== undefined) children.push(items);
  return children.some((child) => {
    const inside = follow({ file, node: child });
    return (child.default ?? inside.node.default) !== undefined || defaultWithin(inside, seen);
  });
}
