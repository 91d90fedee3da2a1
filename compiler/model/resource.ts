import type { Spanned } from "./source.js";

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

/** Words for messages of the kinds that every gateway has, by their names in files and admin paths. */
const SINGULAR = {
  routes: "route",
  services: "service",
  upstreams: "upstream",
  plugin_configs: "plugin_config",
  plugin_metadata: "plugin_metadata",
  global_rules: "global_rule",
  consumers: "consumer",
  ssls: "ssl",
} as const;
export type OwnKind = keyof typeof SINGULAR;
export type Kind = OwnKind | (string & {});

export interface PluginKind {
  /** Name in configurations: "captcha_site_keys". */
  name: string;
  /** Word in messages: "captcha_site_key". */
  singular: string;
  /** Word in texts of the admin API: "captcha site key". */
  label: string;
  /** Path in the admin API, below "/gw/admin/": "captcha/site-keys". */
  path: string;
  /** Schema file, beside the definition; `configuration.json` there refers to it. */
  schema: string;
  /** Section without which its resources have no effect, and the code that reports its absence. */
  requiresSection?: { section: string; finding: string };
  /** Fields that name a resource. `loss`: effect on requests after its deletion by force. */
  references?: readonly { field: string; kind: string; loss: string }[];
}

const known = new Map<string, { plugin: string; kind: PluginKind }>();

/** @throws Error if a name is taken; then it registers nothing */
export function registerKinds(plugin: string, kinds: readonly PluginKind[] = []): void {
  for (const { name } of kinds) {
    if (Object.hasOwn(SINGULAR, name))
      throw new Error(`plugin ${plugin}: gwc has resources called ${name} itself`);
    const owner = known.get(name)?.plugin;
    if (owner !== undefined)
      throw new Error(`plugins ${owner} and ${plugin} both have resources called ${name}`);
  }
  for (const kind of kinds) known.set(kind.name, { plugin, kind });
}

export function pluginKinds(): readonly PluginKind[] {
  return [...known.values()].map(({ kind }) => kind);
}

/** @returns undefined for gwc's own kinds */
export function kindOwner(name: string): string | undefined {
  return known.get(name)?.plugin;
}

export function findKind(name: string): PluginKind | undefined {
  return known.get(name)?.kind;
}

/** Lists kinds of plugins last. */
export function kinds(): readonly Kind[] {
  return [...Object.keys(SINGULAR), ...known.keys()];
}

/** Part of resource paths behind "/gw/admin/". */
export function adminPath(kind: Kind): string {
  return findKind(kind)?.path ?? kind;
}

/** Word for messages and config paths: "plugin_config". */
export function singular(kind: Kind): string {
  return findKind(kind)?.singular ?? SINGULAR[kind as OwnKind];
}

/** Schema file of a kind: "plugin-config.json". */
export function schemaOfKind(kind: Kind): string {
  return findKind(kind)?.schema ?? `${singular(kind).replace("_", "-")}.json`;
}
