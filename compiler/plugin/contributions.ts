import type { PluginTable } from "../../runtime/abi/plugin-tables.js";
import { type Availability, VARIABLES, type Variable } from "../../runtime/abi/variables.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import type { Spanned } from "../model/source.js";

/** Section of a configuration file; its schema is in `configuration.json`. */
export interface PluginSection {
  name: string;
  check?(section: Spanned): Diagnostic[];
}

/** All resources of a configuration, by kind; valid by the schemas. */
export interface ResourceLists {
  /** In the order of the configuration. */
  written<T>(kind: string): readonly Resource<T>[];
  /** Sorted by id. */
  sorted<T>(kind: string): readonly Resource<T>[];
}

export interface ResourceCheck {
  /** Epoch seconds; undefined: nothing counts as expired. */
  now: number | undefined;
  report(diagnostic: Diagnostic): void;
}

/**
 * Keeps a plain-text secret out of the plan, for the plugin's service only.
 * @param place unique in the configuration: "api_key:a1:captcha_api_keys.a1.key"
 * @returns the reference that replaces it in the table
 */
export type KeepSecret = (text: string, place: string, span: Span) => string;

/** All resources of a plugin's kinds together, since one may depend on another. */
export interface ResourceTable<Table extends PluginTable = PluginTable> {
  /** Reports diagnostics beyond those for schemas and references. */
  check?(resources: ResourceLists, context: ResourceCheck): void;
  /** Returns the table for the plugin's service. */
  plan(resources: ResourceLists, secret: KeepSecret): Table;
  /** Returns a hash in hex; set by plugins that know unchanged rows. Default: `canonicalHash`. */
  hash?(table: Table): string;
}

/** Check of a text that a pattern cannot express; schemas name it by `format`. */
export interface TextFormat {
  /** Code of its diagnostic. */
  code: string;
  /** Message of the admin API, if the reference has one; `{value}` becomes the text. */
  errorText: string | ((text: string) => string);
  /** Whole `error_msg` of the admin API, if the reference finds the fault apart from its schema. */
  rule?: (text: string) => string | undefined;
  /** The same for the name of a field. Default: `rule`. */
  nameRule?: (name: string) => string | undefined;
  /** Returns the text for diagnostics, for instance without a password. Default: the text. */
  shown?(text: string): string;
  /** @returns undefined if the text is valid */
  fault(text: string): string | undefined;
}

export type TextFormats = Readonly<Record<string, TextFormat>>;

const formats = new Map<string, TextFormat>();

/** @throws Error if a name is taken; then it registers nothing */
export function registerFormats(plugin: string, added: TextFormats = {}): void {
  for (const name of Object.keys(added))
    if (formats.has(name)) throw new Error(`plugin ${plugin}: there is a format called ${name} already`);
  for (const [name, format] of Object.entries(added)) formats.set(name, format);
}

export function pluginFormats(): ReadonlyMap<string, TextFormat> {
  return formats;
}

/** Variable such as `$user_tier`, which the run-time part reads (`PluginRuntime.variables`). */
export interface PluginVariable {
  /** Name without "$": lower-case words joined by "_", beginning with the name of the plugin. */
  name: string;
  type: "text" | "number";
  /** Phase from which it has its value; it may be absent even then. */
  from: Exclude<Availability, "record">;
  description: string;
}

const variables = new Map<string, { plugin: string; variable: Variable }>();

/** @throws Error if a name is taken; then it registers nothing */
export function registerVariables(plugin: string, added: readonly PluginVariable[] = []): void {
  for (const { name } of added) {
    const owner = variableOwner(name);
    if (owner !== undefined) throw new Error(`plugin ${plugin}: ${owner} has a variable $${name} already`);
  }
  for (const { name, type, from, description } of added) {
    const code = `x.variable("${name}")`;
    const variable = { name, type, from, description, code, prefixed: false, optional: true };
    variables.set(name, { plugin, variable });
  }
}

/** Returns "gwc", "the plugin hello"; undefined if there is no such variable. */
export function variableOwner(name: string): string | undefined {
  const own = VARIABLES.some((one) => (one.prefixed ? name.startsWith(one.name) : name === one.name));
  const plugin = variables.get(name)?.plugin;
  return own ? "gwc" : plugin && `the plugin ${plugin}`;
}

export const pluginVariable = (name: string): Variable | undefined => variables.get(name)?.variable;

export const pluginVariableNames = (): string[] => [...variables.keys()];
