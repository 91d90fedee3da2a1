import type { JsonObject } from "../store/store.js";

export interface LogUser {
  readonly kind: "routes" | "services" | "plugin_configs" | "global_rules";
  readonly id: string;
  /** Number of routes that log there because of it; 0 for a global rule, which applies to all requests. */
  readonly routes: number;
}

/** Returns the value of a resource; undefined if only its id is known (a build). */
export type ValueOf = (kind: LogUser["kind"], id: string) => JsonObject | undefined;

/** Finds the resource that sets a module's plugin: the route, else its plugin config, else its service. */
export function logUsers(moduleIds: readonly string[], plugin: string, resource: ValueOf): LogUser[] {
  const counts = new Map<string, LogUser>();
  for (const moduleId of moduleIds) {
    const [kind, id] = setIn(moduleId, plugin, resource);
    const key = `${kind}/${id}`;
    const before = counts.get(key)?.routes ?? 0;
    counts.set(key, { kind, id, routes: kind === "global_rules" ? 0 : before + 1 });
  }
  return [...counts.values()].sort((a, b) => b.routes - a.routes || (a.id < b.id ? -1 : 1));
}

function setIn(moduleId: string, plugin: string, resource: ValueOf): [kind: LogUser["kind"], id: string] {
  const at = moduleId.indexOf(":");
  const id = moduleId.slice(at + 1);
  if (moduleId.slice(0, at) === "global_rule") return ["global_rules", id];
  const route = resource("routes", id);
  if (route === undefined || has(route, plugin)) return ["routes", id];
  for (const [field, kind] of [
    ["plugin_config_id", "plugin_configs"],
    ["service_id", "services"],
  ] as const) {
    const named = route[field];
    if (named !== undefined && has(resource(kind, String(named)), plugin)) return [kind, String(named)];
  }
  return ["routes", id];
}

const has = (value: JsonObject | undefined, plugin: string): boolean =>
  Object.hasOwn((value?.["plugins"] ?? {}) as object, plugin);
