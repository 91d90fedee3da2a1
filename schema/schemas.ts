import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Keywords of JSON Schema (draft-07) that the files here use, and annotations of gwc. */
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
  maxProperties?: number;
  dependencies?: Record<string, SchemaNode>;
  allOf?: SchemaNode[];
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  not?: SchemaNode;
  if?: SchemaNode;
  then?: SchemaNode;
  definitions?: Record<string, SchemaNode>;
  /** True if the value may contain `${{VAR}}`, which the process that uses it resolves at run time. */
  "x-runtime"?: boolean;
  /**
   * True for a secret, which output, plan and build never contain; it may contain `${{VAR}}` as with
   * `x-runtime`.
   */
  "x-secret"?: boolean;
  /**
   * The value is a name that carries a credential in requests: of a header, or of a parameter of query or
   * body. Logs mask its values.
   */
  "x-credential"?: "header" | "query";
  /** The keys are plugin names, the values their settings by the plugin's schema for that use. */
  "x-plugins"?: "route" | "consumer";
  /** Description of `pattern` for diagnostics, to follow "must be". */
  "x-pattern-description"?: string;
  /** Help for values and fields that do not fit this node: the form that works. */
  "x-help"?: string;
  /** Help for unknown fields, by their names: the settings to use instead. */
  "x-field-hints"?: Readonly<Record<string, string>>;
  /** Help if `pattern` fails on a value that begins like a regular expression, with "~" or "^". */
  "x-pattern-help"?: string;
  /** Another field of the same settings; if it is set, this one has no effect. */
  "x-ignored-with"?: string;
  /** Description of the condition in `if`, for diagnostics. */
  "x-when"?: string;
  /** Kind in the admin API whose resources the value names; forms offer their ids. */
  "x-refers"?: string;
  /** True for a regular expression of response bodies; forms link to the page that tries it. */
  "x-regex"?: boolean;
  /** Search terms of a plugin that its name and description do not contain. */
  "x-keywords"?: string[];
  /** Text for any fault of this node within `error_msg` of the admin API. */
  "x-error-text"?: string;
  /**
   * Whole `error_msg` for any fault of this node, if the reference checks the rule apart from its schema.
   * `{value}` is replaced by the JSON of the value in quotes, `{name}` by its key.
   */
  "x-error-rule"?: string;
  /** Spelling of `pattern` in `error_msg`, as in the reference. Default: `pattern`. */
  "x-error-pattern"?: string;
}

/** Schema node with its file, to which its references are relative. */
export interface SchemaPlace {
  file: string;
  node: SchemaNode;
}

/** Directory of the JSON files: beside this module, or in the package if this module was built elsewhere. */
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

/** Schemas that a plugin may have, by file name, with their names among all schemas. */
const OF_PLUGINS = {
  "schema.json": (plugin: string) => `plugins/${plugin}.json`,
  "consumer.json": (plugin: string) => `plugins/${plugin}.consumer.json`,
  "metadata.json": (plugin: string) => `plugin-metadata/${plugin}.json`,
} as const;

/**
 * Schemas of a whole configuration file, and of its deployment. A plugin's file of the first name adds fields
 * to both.
 */
const CONFIGURATION = "configuration.json";
const DEPLOYMENT = "deployment.json";

/** Paths of the plugins' schemas by their names among all schemas. */
const mounted = new Map<string, string>();
/** Fields that plugins add to a configuration file: sections, and lists of resources. */
const added = new Map<string, SchemaNode>();

/** Schema with the settings that mask values in logs, to whose defaults plugins add entries. */
const DELIVERY = "parts/delivery.json";

/** Entries of `redact.headers` and `redact.query` of loggers. */
export interface DefaultMasks {
  readonly headers?: readonly string[];
  readonly query?: readonly string[];
}

const masks: DefaultMasks[] = [];

/** Folder of gwc's own plugins. */
const BUILT_IN_PLUGINS = new URL("../plugins/", import.meta.url).href;
/** Names of schemas that belong to packages, or to which packages add fields. */
const ofPackages = new Set<string>();

/**
 * Adds the schemas of a plugin: its settings as "plugins/<name>.json", its settings in consumers as
 * "plugins/<name>.consumer.json", its metadata as "plugin-metadata/<name>.json". "configuration.json" has the
 * fields that it adds to configuration files; the files of their references are beside it and keep their
 * names. Plugins refer to parts of gwc as "gwc:/parts/…".
 * @param at `import.meta.url` of the plugin's definition
 * @throws Error if the plugin has no schema for its settings, or a name is taken
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

/** Reports whether a schema is gwc's own, without fields of a package. */
export function isBuiltIn(file: string): boolean {
  return !ofPackages.has(file);
}

/** Adds the fields and kinds of a plugin. @returns names of the schemas that were changed or added */
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

/** Adds entries to the defaults of `redact`, in the order of the calls. */
export function addDefaultMasks(added: DefaultMasks): void {
  masks.push(added);
  files.delete(DELIVERY);
  followed = new WeakMap();
}

/** @param node just read, so that it may be changed */
function withMasks(node: SchemaNode): SchemaNode {
  const fields = node.definitions?.["redact"]?.properties ?? {};
  for (const name of ["headers", "query"] as const) {
    const entries = fields[name]?.default;
    if (!Array.isArray(entries)) throw new Error(`${DELIVERY} has no default of redact.${name}`);
    entries.push(...masks.flatMap((added) => added[name] ?? []));
  }
  return node;
}

const isFile = (name: string) => mounted.has(name) || existsSync(join(SCHEMA_DIRECTORY, name));

/**
 * Returns a schema with what plugins add: fields, sections in front of lists of resources, and masks. The
 * deployment has no lists.
 */
function withAdded(file: string, node: SchemaNode): SchemaNode {
  if (file === DELIVERY) return withMasks(node);
  if (file !== CONFIGURATION && file !== DEPLOYMENT) return node;
  const isList = ([, { type }]: [string, SchemaNode]) => type === "array";
  const fields = [...Object.entries(node.properties ?? {}), ...added];
  const lists = file === CONFIGURATION ? fields.filter(isList) : [];
  const sections = fields.filter((field) => !isList(field));
  return { ...node, properties: Object.fromEntries([...sections, ...lists]) };
}

/**
 * Returns the folder with the assets of a module, such as schemas and templates: its own, or that of its
 * source if it runs from `.build/`.
 */
export function assetFolder(url: string): string {
  let folder = assetFolders.get(url);
  if (folder === undefined) assetFolders.set(url, (folder = foundFolder(url)));
  return folder;
}

/** Cache by URL: without it, a build of 20,000 routes took 0.8 s more. */
const assetFolders = new Map<string, string>();

function foundFolder(url: string): string {
  const folder = dirname(fileURLToPath(url));
  const built = `${sep}.build${sep}`;
  const at = folder.lastIndexOf(built);
  return at < 0 || existsSync(join(folder, "schema.json"))
    ? folder
    : join(folder.slice(0, at), folder.slice(at + built.length));
}

/** Returns the root of a schema by its name: "route.json", "plugins/key-auth.json". */
export function schemaFile(file: string): SchemaPlace {
  let node = files.get(file);
  if (node === undefined) {
    const path = mounted.get(file) ?? join(SCHEMA_DIRECTORY, file);
    node = withAdded(file, JSON.parse(readFileSync(path, "utf8")) as SchemaNode);
    files.set(file, node);
  }
  return { file, node };
}

/**
 * Returns the names of all schemas, sorted.
 * @throws Error if no plugin is registered yet: the schemas would accept any plugin settings
 */
export function schemaFiles(): string[] {
  if (mounted.size === 0) throw new Error("no plugin is registered");
  const own = readdirSync(SCHEMA_DIRECTORY, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.replaceAll("\\", "/"));
  return [...own, ...mounted.keys()].sort();
}

/**
 * Returns the name of the schema for a plugin's settings, in consumers or in routes, services, plugin configs
 * and global rules.
 * @returns undefined if there is no such plugin
 */
export function pluginSchemaFile(plugin: string, use: "route" | "consumer"): string | undefined {
  const names = use === "consumer" ? [`${plugin}.consumer`, plugin] : [plugin];
  return names.map((name) => `plugins/${name}.json`).find((file) => mounted.has(file));
}

/** Follows `$ref` to a node without one. */
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

/**
 * Cache of `follow`: defaults and checks follow the same references for each resource. Emptied when a plugin
 * adds fields.
 */
let followed = new WeakMap<SchemaNode, { from: string; to: SchemaPlace }>();

/** Prefix by which plugins, in any folder, refer to gwc's own schemas. */
export const SCHEMA_BASE = "gwc:/";

/** Returns the name of the schema to which the reference `path` in `file` leads. */
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

/** Returns the name of the schema for a plugin's metadata; that of empty metadata if it has none. */
export function pluginMetadataFile(plugin: string): string {
  const file = `plugin-metadata/${plugin}.json`;
  return mounted.has(file) ? file : "parts/no-metadata.json";
}
