import { follow, type SchemaNode, type SchemaPlace, schemaFile } from "../../schema/schemas.js";
import { explain, isObject } from "./explain.js";

/**
 * A valid value with the defaults of its schema in every place that is absent. ajv leaves out those inside `anyOf`; here the
 * first alternative that fits is taken.
 * @param file name of the schema: "plugins/syslog.json"
 */
export function withDefaults<T extends object>(file: string, value: T): T {
  return filled(schemaFile(file), value) as T;
}

function filled(place: SchemaPlace, value: unknown): unknown {
  const { file, node } = follow(place);
  const inside = (child: SchemaNode): SchemaPlace => ({ file, node: child });
  const { items } = node;
  let result = value;
  if (Array.isArray(value) && items !== undefined) result = value.map((item) => filled(inside(items), item));
  else if (isObject(value)) result = filledObject(node, value, inside);
  else if (!Array.isArray(value)) return value;
  for (const all of node.allOf ?? []) result = filled(inside(all), result);
  const fitting = (node.anyOf ?? node.oneOf ?? []).find((one) => explain(inside(one), result).length === 0);
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
