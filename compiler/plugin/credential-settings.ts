import { utf8 } from "../../runtime/abi/text/bytes.js";
import { pluginSchemaFile, type SchemaNode, schemaFile } from "../../schema/schemas.js";
import { findPlugin } from "./registry.js";

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

/** Headers that contain cookies, which are not masked one by one. */
const OF_COOKIES = ["cookie", "set-cookie"];

/** Returns the headers and parameters that a plugin declares as carriers of credentials, in lower case. */
export function declaredCredentials(plugin: string): readonly [place: CredentialPlace, name: string][] {
  const { headers = [], query = [], cookies = [] } = findPlugin(plugin)?.credentials ?? {};
  const at =
    (place: CredentialPlace) =>
    (name: string): [CredentialPlace, string] => [place, utf8(name).toLowerCase()];
  return [
    ...headers.map(at("header")),
    ...(cookies.length === 0 ? [] : OF_COOKIES.map(at("header"))),
    ...query.map(at("query")),
  ];
}

/** Returns the declared names as variables have them: `$http_NAME`, `$arg_NAME`, `$cookie_NAME`. */
export function declaredNames(plugin: string): readonly string[] {
  const { headers = [], query = [], cookies = [] } = findPlugin(plugin)?.credentials ?? {};
  return [...headers, ...query, ...cookies];
}
