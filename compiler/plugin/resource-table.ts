import type { PluginTable } from "../../runtime/abi/plugin-tables.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import type { Spanned } from "../model/source.js";

/** Section of a configuration file that a plugin adds; its schema is in `configuration.json`. */
export interface PluginSection {
  name: string;
  /** Returns diagnostics beyond the schema. */
  check?(section: Spanned): Diagnostic[];
}

/** All resources of a configuration, by kind. Their values are valid by the schemas. */
export interface ResourceLists {
  /** Returns the resources of a kind in the order of the configuration. */
  written<T>(kind: string): readonly Resource<T>[];
  /** Returns the resources of a kind sorted by id. */
  sorted<T>(kind: string): readonly Resource<T>[];
}

/** Context of a check of resources. */
export interface ResourceCheck {
  /** Time in epoch seconds; undefined: nothing counts as expired. */
  now: number | undefined;
  report(diagnostic: Diagnostic): void;
}

/**
 * Keeps a plain-text secret out of the plan, for the plugin's service only.
 * @param place unique in the configuration: "api_key:a1:captcha_api_keys.a1.key"
 * @returns the reference that replaces it in the table
 */
export type KeepSecret = (text: string, place: string, span: Span) => string;

/**
 * Checks and plans the resources of a plugin's kinds: all of them together, since one may depend on another.
 */
export interface ResourceTable<Table extends PluginTable = PluginTable> {
  /** Reports diagnostics beyond those for schemas and references. */
  check?(resources: ResourceLists, context: ResourceCheck): void;
  /** Returns the table that the plugin's service receives. */
  plan(resources: ResourceLists, secret: KeepSecret): Table;
  /**
   * Returns the hash of a table, in hex. For a plugin that knows which rows are unchanged. Default:
   * `canonicalHash`.
   */
  hash?(table: Table): string;
}
