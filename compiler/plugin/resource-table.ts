import type { PluginTable } from "../../runtime/abi/plugin-tables.js";
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
