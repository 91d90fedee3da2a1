import { utf8 } from "../../runtime/abi/text/bytes.js";
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

/** Names in requests that carry credentials. Query parameters are fields of bodies, too. */
export interface CredentialCarriers {
  readonly headers?: readonly string[];
  readonly query?: readonly string[];
  /** Logs and traces mask `Cookie` and `Set-Cookie` as a whole. */
  readonly cookies?: readonly string[];
}

const declared = new Map<string, CredentialCarriers>();

export function registerCredentials(plugin: string, carriers: CredentialCarriers = {}): void {
  declared.set(plugin, carriers);
}

/** Headers that contain cookies, which are not masked one by one. */
const OF_COOKIES = ["cookie", "set-cookie"];

/** Returns the headers and parameters that a plugin declares as carriers of credentials, in lower case. */
export function declaredCredentials(plugin: string): readonly [place: CredentialPlace, name: string][] {
  const { headers = [], query = [], cookies = [] } = declared.get(plugin) ?? {};
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
  const { headers = [], query = [], cookies = [] } = declared.get(plugin) ?? {};
  return [...headers, ...query, ...cookies];
}
