import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The JSON Schema (draft-07) words that the files here use, and our annotations. */
export interface SchemaNode {
  $ref?: string;
  title?: string;
  description?: string;
  default?: unknown;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  items?: SchemaNode;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  propertyNames?: SchemaNode;
  additionalProperties?: boolean | SchemaNode;
  minProperties?: number;
  dependencies?: Record<string, SchemaNode>;
  allOf?: SchemaNode[];
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  not?: SchemaNode;
  if?: SchemaNode;
  then?: SchemaNode;
  definitions?: Record<string, SchemaNode>;
  /** The value may hold `${{VAR}}`, resolved by the process that opens it. */
  "x-runtime"?: boolean;
  /** The value is never printed, planned or built; `${{VAR}}` as for x-runtime. */
  "x-secret"?: boolean;
  /** The value names what carries a credential of a request: a header, or a parameter of its query or body. Logs mask it. */
  "x-credential"?: "header" | "query";
  /** Keys are plugin names, values follow the plugin's schema for that use. */
  "x-plugins"?: "route" | "consumer";
  /** What `pattern` asks for, in words: "must be …". */
  "x-says"?: string;
  /** The condition of `if`, in words. */
  "x-when"?: string;
  /** Text of the admin API's `error_msg` for any fault of this node, in its place. */
  "x-error-text"?: string;
  /** The whole `error_msg` for any fault of this node: a rule that the reference checks apart from the schema. `{value}`: its JSON; `{name}`: its key. */
  "x-error-rule"?: string;
  /** How `error_msg` spells `pattern`: as the reference does. */
  "x-error-pattern"?: string;
}

/** A node and the file it stands in, which its references are relative to. */
export interface SchemaPlace {
  file: string;
  node: SchemaNode;
}

/** Directory of the JSON files: beside this module, or in the package when this module was built elsewhere. */
export const SCHEMA_DIRECTORY = ((): string => {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "schema", "route.json"))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error("the JSON files of schema/ are not installed");
    directory = parent;
  }
  return join(directory, "schema");
})();

const files = new Map<string, SchemaNode>();
const existing = new Map<string, boolean>();

/** Root of one file, by its path below schema/: "plugins/key-auth.json". */
export function schemaFile(file: string): SchemaPlace {
  let node = files.get(file);
  if (node === undefined) {
    node = JSON.parse(readFileSync(join(SCHEMA_DIRECTORY, file), "utf8")) as SchemaNode;
    files.set(file, node);
  }
  return { file, node };
}

/** Paths of all files below schema/, sorted. */
export function schemaFiles(): string[] {
  return readdirSync(SCHEMA_DIRECTORY, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.replaceAll("\\", "/"))
    .sort();
}

/** File with the settings of a plugin in routes (also services, plugin_configs, global rules) or in consumers. */
export function pluginSchemaFile(plugin: string, use: "route" | "consumer"): string | undefined {
  if (!/^[a-z0-9-]+$/.test(plugin)) return undefined;
  const names = use === "consumer" ? [`${plugin}.consumer`, plugin] : [plugin];
  return names.map((name) => `plugins/${name}.json`).find(exists);
}

function exists(file: string): boolean {
  let known = existing.get(file);
  if (known === undefined) {
    known = existsSync(join(SCHEMA_DIRECTORY, file));
    existing.set(file, known);
  }
  return known;
}

/** Follows `$ref` to the node that says something itself. */
export function follow(place: SchemaPlace): SchemaPlace {
  let { file, node } = place;
  while (node.$ref !== undefined) {
    const [path = "", fragment = ""] = node.$ref.split("#");
    if (path !== "") file = posix.normalize(posix.join(posix.dirname(file), path));
    node = pointed(schemaFile(file).node, fragment);
  }
  return { file, node };
}

function pointed(root: SchemaNode, fragment: string): SchemaNode {
  let node: unknown = root;
  for (const step of fragment.split("/").slice(1)) node = (node as Record<string, unknown>)[step];
  if (typeof node !== "object" || node === null) throw new Error(`schema/ has nothing at #${fragment}`);
  return node;
}

/** File with the metadata of a plugin; of one that has none when the plugin has no file of its own. */
export function pluginMetadataFile(plugin: string): string {
  const file = `plugin-metadata/${plugin}.json`;
  const own = /^[a-z0-9-]+$/.test(plugin) && exists(file);
  return own ? file : "parts/no-metadata.json";
}
