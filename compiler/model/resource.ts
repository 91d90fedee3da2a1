import { findKind, OWN_KINDS, type OwnKind, pluginKinds } from "./kinds.js";
import type { Spanned } from "./source.js";

/** Kind of gwc itself or of a plugin. */
export type Kind = OwnKind | (string & {});

/** Returns all kinds, those of plugins last. */
export function kinds(): readonly Kind[] {
  return [...OWN_KINDS, ...pluginKinds().map(({ name }) => name)];
}

/** Returns the part of a kind's resource paths that follows "/gw/admin/". */
export function adminPath(kind: Kind): string {
  return findKind(kind)?.path ?? kind;
}

export interface ResourceName {
  kind: Kind;
  id: string;
}

/**
 * Validated resource: the value fits its schema (so casts to `schema/types.gen.ts` are safe) and keeps its
 * spans.
 */
export interface Resource<T = unknown> extends Spanned<T> {
  kind: Kind;
  /** Id as text; username for consumers, plugin name for plugin_metadata. */
  id: string;
  /**
   * "file": static, from configuration files; "build": static, and compiled already; "store": written through
   * the admin API.
   */
  from: "file" | "build" | "store";
}
