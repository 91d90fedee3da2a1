import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
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
  "x-pattern-description"?: string;
  /** The form that works, for whoever wrote another one. */
  "x-help"?: string;
  /** What to write in the place of fields that are not there, by their names. */
  "x-field-hints"?: Readonly<Record<string, string>>;
  /** The same for whoever wrote a regular expression. */
  "x-pattern-help"?: string;
  /** Another field of the same settings, beside which this one does nothing. */
  "x-ignored-with"?: string;
  /** The condition of `if`, in words. */
  "x-when"?: string;
  /** Collection of the admin API whose resources the value names: forms offer their ids. */
  "x-refers"?: string;
  /** The value is a regular expression of response bodies: forms lead to where it can be tried. */
  "x-regex"?: boolean;
  /** Of a plugin: words for what people want of it that its name and description do not have. */
  "x-keywords"?: string[];
  /** Text of the admin API's `error_msg` for any fault of this node, in its place. */
  "x-error-text"?: string;
  /** The whole `error_msg` for any fault of this node: a rule that the reference checks apart from the schema. `{value}`: its JSON in quotes; `{name}`: its key. */
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

/** Files that a plugin brings along, by the names that they have among the schemas. */
const OF_PLUGINS = {
  "schema.json": (plugin: string) => `plugins/${plugin}.json`,
  "consumer.json": (plugin: string) => `plugins/${plugin}.consumer.json`,
  "metadata.json": (plugin: string) => `plugin-metadata/${plugin}.json`,
} as const;

/** A configuration file whole, and what of it is about the deployment. A plugin's file of the first name adds to both. */
const CONFIGURATION = "configuration.json";
const DEPLOYMENT = "deployment.json";

/** Paths of the plugins' files by their names among the schemas. */
const mounted = new Map<string, string>();
/** Fields of a configuration file that plugins add: sections, and lists of resources. */
const added = new Map<string, SchemaNode>();

/** Plugins that gwc brings along, which are compiled with it. */
const BUILT_IN_PLUGINS = new URL("../plugins/", import.meta.url).href;
/** Names of files that packages bring, or add fields to. */
const ofPackages = new Set<string>();

/**
 * Puts the schemas of a plugin among the others: settings as "plugins/<name>.json", what consumers hold as
 * "plugins/<name>.consumer.json", metadata as "plugin-metadata/<name>.json". Its "configuration.json" has the fields that it adds
 * to configuration files; what they refer to stands beside it and keeps its name. Plugins refer to parts of gwc as "gwc:/parts/…".
 * @param at `import.meta.url` of the plugin's definition
 * @throws Error when the plugin has no schema for its settings, or a name is taken
 */
export function mountPlugin(name: string, at: string): void {
  const folder = assetFolder(at);
  const names = existsSync(join(folder, CONFIGURATION)) ? mountFields(name, folder) : [];
  for (const [file, nameOf] of Object.entries(OF_PLUGINS)) {
    const path = join(folder, file);
    if (!existsSync(path)) {
      if (file === "schema.json") throw new Error(`plugin ${name}: ${path} does not exist`);
      continue;
    }
    mounted.set(nameOf(name), path);
    names.push(nameOf(name));
  }
  if (!at.startsWith(BUILT_IN_PLUGINS)) for (const file of names) ofPackages.add(file);
}

/** Reports whether a schema is as gwc was built with it: no file of a package, and without fields of one. */
export function isBuiltIn(file: string): boolean {
  return !ofPackages.has(file);
}

/** @returns names of the files that have changed or come in */
function mountFields(plugin: string, folder: string): string[] {
  const text = readFileSync(join(folder, CONFIGURATION), "utf8");
  const { properties = {} } = JSON.parse(text) as SchemaNode;
  const { properties: known = {} } = schemaFile(CONFIGURATION).node;
  const fields = Object.entries(properties).map(([name, node]) => {
    const file = (node.items ?? node).$ref ?? "";
    const taken = Object.hasOwn(known, name) ? name : isFile(file) ? file : undefined;
    if (taken !== undefined) throw new Error(`plugin ${plugin}: there is a "${taken}" already`);
    return { name, node, file };
  });
  for (const { name, node, file } of fields) {
    mounted.set(file, join(folder, file));
    added.set(name, node);
  }
  files.delete(CONFIGURATION);
  files.delete(DEPLOYMENT);
  followed = new WeakMap();
  return [CONFIGURATION, DEPLOYMENT, ...fields.map(({ file }) => file)];
}

const isFile = (name: string) => mounted.has(name) || existsSync(join(SCHEMA_DIRECTORY, name));

/** With what plugins add: sections before lists of resources, which are no part of the deployment. */
function withAdded(file: string, node: SchemaNode): SchemaNode {
  if (file !== CONFIGURATION && file !== DEPLOYMENT) return node;
  const isList = ([, { type }]: [string, SchemaNode]) => type === "array";
  const fields = [...Object.entries(node.properties ?? {}), ...added];
  const lists = file === CONFIGURATION ? fields.filter(isList) : [];
  const sections = fields.filter((field) => !isList(field));
  return { ...node, properties: Object.fromEntries([...sections, ...lists]) };
}

/** Where the files stand that belong to a module and are none: beside its source, when it runs from `.build/`. */
export function assetFolder(url: string): string {
  let folder = assetFolders.get(url);
  if (folder === undefined) assetFolders.set(url, (folder = foundFolder(url)));
  return folder;
}

/** By URL: to look for it for each view of a build of 20,000 routes took 0.8 s. */
const assetFolders = new Map<string, string>();

function foundFolder(url: string): string {
  const folder = dirname(fileURLToPath(url));
  const built = `${sep}.build${sep}`;
  const at = folder.lastIndexOf(built);
  return at < 0 || existsSync(join(folder, "schema.json"))
    ? folder
    : join(folder.slice(0, at), folder.slice(at + built.length));
}

/** Root of one file, by its name: "route.json", "plugins/key-auth.json". */
export function schemaFile(file: string): SchemaPlace {
  let node = files.get(file);
  if (node === undefined) {
    const path = mounted.get(file) ?? join(SCHEMA_DIRECTORY, file);
    node = withAdded(file, JSON.parse(readFileSync(path, "utf8")) as SchemaNode);
    files.set(file, node);
  }
  return { file, node };
}

/** Names of all files, sorted. @throws Error as long as no plugin is registered: a schema without plugins would let all pass */
export function schemaFiles(): string[] {
  if (mounted.size === 0) throw new Error("no plugin is registered");
  const own = readdirSync(SCHEMA_DIRECTORY, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.replaceAll("\\", "/"));
  return [...own, ...mounted.keys()].sort();
}

/** File with the settings of a plugin in routes (also services, plugin_configs, global rules) or in consumers. */
export function pluginSchemaFile(plugin: string, use: "route" | "consumer"): string | undefined {
  const names = use === "consumer" ? [`${plugin}.consumer`, plugin] : [plugin];
  return names.map((name) => `plugins/${name}.json`).find((file) => mounted.has(file));
}

/** Follows `$ref` to the node that says something itself. */
export function follow(place: SchemaPlace): SchemaPlace {
  if (place.node.$ref === undefined) return place;
  const known = followed.get(place.node);
  if (known?.from === place.file) return known.to;
  let { file, node } = place;
  while (node.$ref !== undefined) {
    const [path = "", fragment = ""] = node.$ref.split("#");
    if (path !== "") file = referred(path, file);
    node = pointed(schemaFile(file).node, fragment);
  }
  const to = { file, node };
  followed.set(place.node, { from: place.file, to });
  return to;
}

/** Where references lead: defaults and checks follow the same ones for every resource. Emptied when a file gets other fields. */
let followed = new WeakMap<SchemaNode, { from: string; to: SchemaPlace }>();

/** Base of all names: what plugins, wherever they are, call gwc's own files by. */
export const SCHEMA_BASE = "gwc:/";

/** Name of the file that `path` stands for in `file`. */
export function referred(path: string, file: string): string {
  if (path.startsWith(SCHEMA_BASE)) return path.slice(SCHEMA_BASE.length);
  return posix.normalize(posix.join(posix.dirname(file), path));
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
  return mounted.has(file) ? file : "parts/no-metadata.json";
}
