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
  "captcha_customers",
  "captcha_site_keys",
  "captcha_api_keys",
] as const;
export type Kind = (typeof KINDS)[number];

/** What follows "/gw/admin/" in the path of a kind's resources: those of the captcha have a folder of their own. */
export function adminPath(kind: Kind): string {
  return kind.startsWith("captcha_") ? `captcha/${kind.slice(8).replaceAll("_", "-")}` : kind;
}

/** A validated resource: the value fits its schema (so casts to `schema/types.gen.ts` are safe) and keeps its spans. */
export interface Resource<T = unknown> extends Located<T> {
  kind: Kind;
  /** Id as text; username for consumers, plugin name for plugin_metadata. */
  id: string;
  /** "file": static, from configuration files; "store": written through the admin API. */
  from: "file" | "store";
}
