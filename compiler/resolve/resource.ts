import type { Located } from "../parse/source.js";

/** Kinds of resources as they are called in files, admin paths and messages. */
export const KINDS = [
  "routes",
  "services",
  "upstreams",
  "plugin_configs",
  "plugin_metadata",
  "global_rules",
  "consumers",
  "ssls",
] as const;
export type Kind = (typeof KINDS)[number];

/** A validated resource: the value fits its schema (so casts to `schema/types.gen.ts` are safe) and keeps its spans. */
export interface Resource<T = unknown> extends Located<T> {
  kind: Kind;
  /** Id as text; username for consumers, plugin name for plugin_metadata. */
  id: string;
  /** "file": static, from configuration files; "store": written through the admin API. */
  from: "file" | "store";
}
