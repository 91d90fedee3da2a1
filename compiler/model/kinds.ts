/** Kinds that every gateway has, by their names in files, admin paths and messages. */
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
    if ((OWN_KINDS as readonly string[]).includes(name))
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
