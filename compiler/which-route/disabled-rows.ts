import type { RouterRow } from "../../runtime/abi/generation.js";
import type { Inventory } from "../3-resolve/inventory.js";
import type { RouteValue, ServiceValue } from "../3-resolve/values.js";
import type { Resource } from "../model/resource.js";

/** Maximum disabled routes: each tested request carries them. */
const MOST = 2_000;

/** Rows of routes with `status: 0`, with host, path, method and client only. */
export function disabledRows(inventory: Inventory): RouterRow[] {
  const routes = [...inventory.all("routes").values()] as Resource<RouteValue>[];
  return routes
    .filter(({ value }) => value.status === 0)
    .slice(0, MOST)
    .map(({ id, value }) => rowOf(String(id), value, inventory));
}

function rowOf(id: string, value: RouteValue, inventory: Inventory): RouterRow {
  const both = (one: unknown, list: unknown) =>
    [one, list].flat().filter((text): text is string => typeof text === "string");
  const service = inventory.get("services", String(value.service_id ?? ""))?.value as
    | ServiceValue
    | undefined;
  const own = both(value.host, value.hosts);
  const hosts = own.length > 0 ? own : both(undefined, service?.hosts);
  return {
    ...{ id, uris: both(value.uri, value.uris), hosts: hosts.map((host) => host.toLowerCase()) },
    ...{ methods: both(undefined, value.methods), remoteAddrs: both(value.remote_addr, value.remote_addrs) },
    ...{ priority: 0, order: 0, moduleId: null, hasMatch: false, upstream: null, enableWebsocket: false },
  };
}
