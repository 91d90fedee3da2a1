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
  captcha_customers: "captcha_customer",
  captcha_site_keys: "captcha_site_key",
  captcha_api_keys: "captcha_api_key",
};

/** A field of one resource that names another. */
export interface Reference {
  field: "upstream_id" | "service_id" | "plugin_config_id" | "customer";
  kind: Kind;
  /** Id as text: 1 and "1" are the same. */
  id: string;
}

type Fields = readonly (readonly [Reference["field"], Kind])[];

const OF_ROUTES: Fields = [
  ["service_id", "services"],
  ["plugin_config_id", "plugin_configs"],
  ["upstream_id", "upstreams"],
];
const OF_KEYS: Fields = [["customer", "captcha_customers"]];
const FIELDS: Partial<Record<Kind, Fields>> = {
  routes: OF_ROUTES,
  services: OF_ROUTES,
  captcha_site_keys: OF_KEYS,
  captcha_api_keys: OF_KEYS,
};

/** The references of a resource, in the order in which they are reported. */
export function references(resource: Resource): Reference[] {
  const value = resource.value as Record<string, unknown>;
  const found: Reference[] = [];
  for (const [field, kind] of FIELDS[resource.kind] ?? []) {
    const id = value[field];
    if (id !== undefined) found.push({ field, kind, id: String(id) });
  }
  return found;
}
