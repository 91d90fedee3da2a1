/** Kinds of resources that every gateway has, as they are called in files, admin paths and messages. */
export const OWN_KINDS = [
  "routes",
  "services",
  "upstreams",
  "plugin_configs",
  "plugin_metadata",
  "global_rules",
  "consumers",
  "ssls",
] as const;
export type OwnKind = (typeof OWN_KINDS)[number];

/** A kind of resource that the plugin has by itself. */
export interface PluginKind {
  /** As configurations name the list of them: "captcha_site_keys". */
  name: string;
  /** One of them, in messages: "captcha_site_key". */
  singular: string;
  /** One of them, in texts of the admin API: "captcha site key". */
  label: string;
  /** What follows "/gw/admin/" in the path of the kind. */
  path: string;
  /** Name of its schema's file; it stands beside the definition, whose `configuration.json` refers to it. */
  schema: string;
  /** The section of configurations without which its resources have no effect, and the code of the finding that says so. */
  requiresSection?: { section: string; finding: string };
  /** Fields that name a resource of another kind, and what becomes of a request when that one was deleted by force. */
  references?: readonly { field: string; kind: string; loss: string }[];
}

/** With their plugins' names. */
const known = new Map<string, { plugin: string; kind: PluginKind }>();

/** @throws Error when a name is taken; nothing is registered then */
export function registerKinds(plugin: string, kinds: readonly PluginKind[] = []): void {
  for (const { name } of kinds) {
    if ((OWN_KINDS as readonly string[]).includes(name))
      throw new Error(`plugin ${plugin}: gwc has resources called ${name} itself`);
    const owner = known.get(name)?.plugin;
    if (owner !== undefined)
      throw new Error(`plugins ${owner} and ${plugin} both have resources called ${name}`);
  }
  for (const kind of kinds) known.set(kind.name, { plugin, kind });
}

/** Every kind of resource that plugins have, in the order of registration. */
export function pluginKinds(): readonly PluginKind[] {
  return [...known.values()].map(({ kind }) => kind);
}

/** Name of the plugin that has a kind; undefined for those of gwc itself. */
export function kindOwner(name: string): string | undefined {
  return known.get(name)?.plugin;
}

export function findKind(name: string): PluginKind | undefined {
  return known.get(name)?.kind;
}
