import type { Report } from "../model/diagnostic.js";
import type { ResolveContext, ResolvedRoute } from "../model/resolved.js";
import { type Resource, singular } from "../model/resource.js";
import { consumersFor } from "./consumers.js";
import type { Inventory } from "./inventory.js";
import { mergedPlugins } from "./merge.js";
import { checkReferences } from "./route.js";
import type { PluginsValue, RouteValue } from "./values.js";

/** Lets the plan step check plugins of a service or plugin_config that no route uses or every route overrides. */
export function asStandaloneRoute(
  resource: Resource,
  inventory: Inventory,
  context: ResolveContext,
): ResolvedRoute {
  const plugins = mergedPlugins([resource as Resource<PluginsValue>]);
  return {
    id: `${singular(resource.kind)} ${resource.id}`,
    hosts: [],
    uris: ["/*"],
    methods: [],
    remoteAddrs: [],
    priority: 0,
    order: 0,
    enableWebsocket: false,
    plugins,
    ...consumersFor(plugins, inventory, context),
    upstream: null,
    ...(inventory.isUsed(resource.kind, resource.id) && { judgedElsewhere: true }),
  };
}

/**
 * Salvaged resources: references are checked here, plugins and conditions in the plan step, which receives
 * the resources as routes that yield no module. Nothing is reported that faulty parts may explain.
 */
export function checkPartialResources(
  partial: readonly Resource[],
  inventory: Inventory,
  context: ResolveContext,
  report: Report,
): ResolvedRoute[] {
  return partial.map((resource) => {
    if (!context.incomplete) checkReferences(resource, inventory, report);
    const { vars } = resource.value as RouteValue;
    const route = asStandaloneRoute(resource, inventory, context);
    return vars === undefined
      ? route
      : { ...route, vars: { value: vars, spans: resource.spans.below(["vars"]) } };
  });
}
