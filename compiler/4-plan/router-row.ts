import type { RouterRow } from "../../runtime/abi/generation.js";
import type { ResolvedRoute } from "../model/resolved.js";

/**
 * Returns the router row of a route without module; `withModule` adds the module once the pipeline is known.
 */
export function routerRow(route: ResolvedRoute): RouterRow {
  return {
    id: route.id,
    ...(route.name !== undefined && { name: route.name }),
    ...(route.serviceId !== undefined && { serviceId: route.serviceId }),
    ...(route.serviceName !== undefined && { serviceName: route.serviceName }),
    hosts: route.hosts,
    uris: route.uris,
    methods: route.methods,
    remoteAddrs: route.remoteAddrs,
    priority: route.priority,
    order: route.order,
    moduleId: null,
    hasMatch: false,
    upstream: route.upstream,
    ...(route.unavailable !== undefined && { unavailable: route.unavailable }),
    ...(route.timeout && { timeout: route.timeout }),
    enableWebsocket: route.enableWebsocket,
  };
}
