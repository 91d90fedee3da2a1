import type { ResolveContext, ResolvedRoute } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import { consumersFor } from "./consumers.js";
import type { Inventory } from "./inventory.js";
import { mergedPlugins } from "./merge.js";
import { singular } from "./reference.js";
import type { PluginsValue } from "./values.js";

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
