import { pluginSchemaFile, type SchemaNode, schemaFile } from "../../schema/schemas.js";

export type CredentialPlace = "header" | "query";

type CredentialSetting = [field: string, place: CredentialPlace, byDefault: unknown];

/** Cache by schema, which is read for each route with the plugin. */
const settingsOfSchemas = new WeakMap<SchemaNode, readonly CredentialSetting[]>();

export function credentialSettings(plugin: string): readonly CredentialSetting[] {
  const file = pluginSchemaFile(plugin, "route");
  if (file === undefined) return [];
  const { node } = schemaFile(file);
  let settings = settingsOfSchemas.get(node);
  if (settings === undefined) settingsOfSchemas.set(node, (settings = settingsIn(node)));
  return settings;
}

const settingsIn = ({ properties = {} }: SchemaNode): CredentialSetting[] =>
  Object.entries(properties).flatMap(([field, node]) => {
    const place = node["x-credential"];
    return place === undefined ? [] : [[field, place, node.default]];
  });
