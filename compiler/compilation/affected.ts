import { CERTIFICATES } from "../../runtime/abi/certificates.js";
import type { Inventory } from "../3-resolve/inventory.js";
import { type Kind, kindOwner } from "../model/resource.js";

/** Kinds whose resources are compiled one by one. */
export const ALONE = ["routes", "services", "upstreams", "plugin_configs", "plugin_metadata"] as const;

export type Affected = Readonly<
  Record<
    "routes" | "services" | "upstreams" | "plugin_configs" | "plugin_metadata" | "consumers",
    Set<string>
  >
> & {
  /** Hosts of services may have changed, which decide which routes of files tie. */
  hosts: boolean;
  /** All global rules are checked together: they are few, and one may contain what another contains. */
  rules: boolean;
  /** Plugins whose tables change. Each is small, and checked as a whole. */
  ofPlugins: Set<string>;
};

type Mutable = { -readonly [K in keyof Affected]: Affected[K] };

export function nothingAffected(): Affected {
  return {
    routes: new Set(),
    services: new Set(),
    upstreams: new Set(),
    plugin_configs: new Set(),
    plugin_metadata: new Set(),
    consumers: new Set(),
    hosts: false,
    rules: false,
    ofPlugins: new Set(),
  };
}

/**
 * Adds everything that depends on the resource. A route depends fully on its service, its plugin_config and
 * its service's plugin_config, but only on the existence of an upstream: its router row holds just the key.
 * @param appeared true if the resource was created or deleted
 */
export function addAffected(
  affected: Mutable,
  inventory: Inventory,
  kind: Kind,
  id: string,
  appeared: boolean,
): void {
  switch (kind) {
    case "routes":
      affected.routes.add(id);
      return;
    case "global_rules":
      affected.rules = true;
      return;
    // Loggers read it through the exchange: no route contains any of it.
    case "plugin_metadata":
      affected.plugin_metadata.add(id);
      return;
    case "upstreams":
      affected.upstreams.add(id);
      if (appeared) addUsers(affected, inventory, kind, id);
      return;
    case "services":
    case "plugin_configs":
      if (kind === "services") affected.hosts = true;
      affected[kind as "services" | "plugin_configs"].add(id);
      addUsers(affected, inventory, kind, id);
      return;
    case "consumers":
      affected.consumers.add(id);
      return;
    case "ssls":
      affected.ofPlugins.add(CERTIFICATES);
      return;
    default: {
      const plugin = kindOwner(kind);
      if (plugin !== undefined) affected.ofPlugins.add(plugin);
    }
  }
}

/** @param part "routes/a/b" (the route "a/b"), "global_rules/", "tables/captcha" */
export function isAffected(affected: Affected, part: string): boolean {
  const slash = part.indexOf("/");
  const [kind, id] = [part.slice(0, slash), part.slice(slash + 1)];
  if (kind === "global_rules") return affected.rules;
  if (kind === "tables") return affected.ofPlugins.has(id);
  return affected[kind as (typeof ALONE)[number]].has(id);
}

/** @param names "routes/1", "global_rules/1" */
export function addAuthenticating(affected: Mutable, names: ReadonlySet<string>): void {
  for (const name of names) {
    const [kind = "", id = ""] = name.split("/");
    if (kind === "global_rules") affected.rules = true;
    if (kind === "routes" || kind === "services" || kind === "plugin_configs") affected[kind].add(id);
  }
}

function addUsers(affected: Affected, inventory: Inventory, kind: Kind, id: string): void {
  for (const user of inventory.users(kind, id)) {
    if (user.kind === "routes") affected.routes.add(user.id);
    if (user.kind !== "services") continue;
    affected.services.add(user.id);
    for (const route of inventory.users("services", user.id)) affected.routes.add(route.id);
  }
}
