import type { Credentials } from "../../runtime/abi/log.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { pluginSchemaFile, schemaFile } from "../../schema/schemas.js";
import type { ResolvedPlugin } from "../resolve/resolved.js";

/**
 * Names that carry credentials of requests, in lower case: what the schemas of plugins mark with x-credential, by the
 * plugins' settings or by default. Undefined when there are none.
 */
export function credentialsOf(plugins: readonly ResolvedPlugin[]): Credentials | undefined {
  const names = { header: new Set<string>(), query: new Set<string>() };
  for (const { name, config } of plugins) {
    const file = pluginSchemaFile(name, "route");
    const { properties = {} } = file === undefined ? {} : schemaFile(file).node;
    for (const [field, node] of Object.entries(properties)) {
      const place = node["x-credential"];
      const value = config.value[field] ?? node.default;
      if (place !== undefined && typeof value === "string") names[place].add(utf8(value).toLowerCase());
    }
  }
  if (names.header.size + names.query.size === 0) return undefined;
  return { headers: [...names.header].sort(), query: [...names.query].sort() };
}
