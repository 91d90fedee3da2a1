import type { Kind, Resource } from "./resource.js";

/** Singular of a kind as messages and origins say it: "plugin_config". */
export const SINGULAR: Readonly<Record<Kind, string>> = {
  routes: "route",
  services: "service",
  upstreams: "upstream",
  plugin_configs: "plugin_config",
  plugin_metadata: "plugin_metadata",
  global_rules: "global_rule",
  consumers: "consumer",
  ssls: "ssl",
};

/** A field of one resource that names another. */
export interface Reference {
  field: "upstream_id" | "service_id" | "plugin_config_id";
  kind: Kind;
  /** Id as text: 1 and "1" are the same. */
  id: string;
}

const FIELDS = [
  ["service_id", "services"],
  ["plugin_config_id", "plugin_configs"],
  ["upstream_id", "upstreams"],
] as const;

/** The references of a route or service, in the order in which they are reported. */
export function references(resource: Resource): Reference[] {
  if (resource.kind !== "routes" && resource.kind !== "services") return [];
  const value = resource.value as Record<string, unknown>;
  const found: Reference[] = [];
  for (const [field, kind] of FIELDS) {
    const id = value[field];
    if (id !== undefined) found.push({ field, kind, id: String(id) });
  }
  return found;
}
