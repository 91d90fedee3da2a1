import type { PluginTable } from "../../runtime/abi/plugin-tables.js";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import type { Spanned } from "../parse/source.js";
import type { Resource } from "../resolve/resource.js";

/** A section of configuration files that a plugin has by itself; `configuration.json` beside its definition has the schema. */
export interface PluginSection {
  name: string;
  /** Findings beyond the schema. */
  check?(section: Spanned): Diagnostic[];
}

/** All resources of a configuration, by the names of their kinds. Values fit the schemas. */
export interface ResourceLists {
  /** In the order of writing. */
  written<T>(kind: string): readonly Resource<T>[];
  /** By id. */
  sorted<T>(kind: string): readonly Resource<T>[];
}

/** What is known where resources are checked. */
export interface ResourceCheck {
  /** Epoch seconds; undefined: nothing has expired. */
  now: number | undefined;
  report(diagnostic: Diagnostic): void;
}

/**
 * Keeps a secret apart from the plan, for the service alone, and gives the reference that stands for it.
 * @param place of its text, unique in the configuration: "api_key:a1:captcha_api_keys.a1.key"
 */
export type KeepSecret = (text: string, place: string, span: Span) => string;

/**
 * What becomes of all resources of a plugin's kinds: they are checked and planned together, since each may hold what concerns
 * another.
 */
export interface ResourceTable<Table extends PluginTable = PluginTable> {
  /** Findings beyond schema and references. */
  check?(resources: ResourceLists, context: ResourceCheck): void;
  /** What the plugin's service is told. */
  plan(resources: ResourceLists, secret: KeepSecret): Table;
  /** Hash of what was planned, hex, where the plugin knows which rows have stayed; default: `canonicalHash`. */
  hash?(table: Table): string;
}
