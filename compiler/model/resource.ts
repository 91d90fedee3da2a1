import { findKind, OWN_KINDS, type OwnKind, pluginKinds } from "./kinds.js";
import type { Spanned } from "./source.js";

export type Kind = OwnKind | (string & {});

/** Lists kinds of plugins last. */
export function kinds(): readonly Kind[] {
  return [...OWN_KINDS, ...pluginKinds().map(({ name }) => name)];
}

/** Part of resource paths behind "/gw/admin/". */
export function adminPath(kind: Kind): string {
  return findKind(kind)?.path ?? kind;
}

export interface ResourceName {
  kind: Kind;
  id: string;
}

/** Validated resource: the value fits its schema (so a cast to a type made of the schema is safe) and keeps its spans. */
export interface Resource<T = unknown> extends Spanned<T> {
  kind: Kind;
  /** Id as text; username of consumers, plugin name of plugin_metadata. */
  id: string;
  /**
   * "file": static, from configuration files; "build": static, and compiled already; "store": written by the
   * admin API.
   */
  from: "file" | "build" | "store";
}
