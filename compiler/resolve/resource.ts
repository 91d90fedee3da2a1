import type { Spanned } from "../parse/source.js";
import { findKind, OWN_KINDS, type OwnKind, pluginKinds } from "../plugin/kinds.js";

/** A kind of gwc itself, or one that a plugin has. */
export type Kind = OwnKind | (string & {});

/** All kinds, those of plugins last. */
export function kinds(): readonly Kind[] {
  return [...OWN_KINDS, ...pluginKinds().map(({ name }) => name)];
}

/** What follows "/gw/admin/" in the path of a kind's resources. */
export function adminPath(kind: Kind): string {
  return findKind(kind)?.path ?? kind;
}

/** What a resource is called. */
export interface ResourceName {
  kind: Kind;
  id: string;
}

/** A validated resource: the value fits its schema (so casts to `schema/types.gen.ts` are safe) and keeps its spans. */
export interface Resource<T = unknown> extends Spanned<T> {
  kind: Kind;
  /** Id as text; username for consumers, plugin name for plugin_metadata. */
  id: string;
  /** "file": static, from configuration files; "build": static, and compiled already; "store": written through the admin API. */
  from: "file" | "build" | "store";
}
