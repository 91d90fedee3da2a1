import type { Kind } from "../../../compiler/resolve/resource.js";

/** How a kind of resource behaves under `/gw/admin/{segment}`; reference section 1.3. */
export interface AdminKind {
  segment: Kind;
  /** As messages call it. */
  label: string;
  post: boolean;
  patch: boolean;
  /** Where an id comes from: path or `id` of the body; `username` of the body; the plugin's name in the path. */
  identity: "id" | "username" | "plugin";
}

const kind = (segment: Kind, label: string, more: Partial<AdminKind> = {}): AdminKind => ({
  segment,
  label,
  post: true,
  patch: true,
  identity: "id",
  ...more,
});

export const ADMIN_KINDS: ReadonlyMap<string, AdminKind> = new Map(
  [
    kind("routes", "route"),
    kind("services", "service"),
    kind("upstreams", "upstream"),
    kind("plugin_configs", "plugin config", { post: false }),
    kind("global_rules", "global rule", { post: false }),
    kind("plugin_metadata", "plugin_metadata", { post: false, patch: false, identity: "plugin" }),
    kind("consumers", "consumer", { post: false, patch: false, identity: "username" }),
    kind("ssls", "ssl"),
  ].map((entry) => [entry.segment, entry]),
);

/** Name of a kind's schema ("route") as `/schema/{name}` takes it; the plural is understood too. */
export function schemaName(segment: string): string {
  return segment === "plugin_metadata" ? segment : segment.replace(/s$/, "");
}
