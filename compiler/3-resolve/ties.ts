import { literalPrefix } from "../model/path-patterns.js";
import type { Resource } from "../model/resource.js";
import type { Inventory } from "./inventory.js";
import { routeHosts, routeUris } from "./match-fields.js";
import type { RouteValue, ServiceValue } from "./values.js";

/**
 * Routes of the store come after those of the files, and by id, which is the router's last criterion: a write
 * never renumbers another route.
 */
export const STORED_ORDER = 2 ** 31;

/**
 * `order` of the enabled routes of files, by id: length of the longest chain of earlier routes, in which each
 * ties with the next and the last with this route. Other routes have 0 whatever precedes them, and an
 * inserted route moves only those that tie with it.
 */
export function tieOrders(inventory: Inventory): Map<string, number> {
  const orders = new Map<string, number>();
  const next = new Map<string, number>();
  for (const resource of inventory.all("routes").values()) {
    const route = resource as Resource<RouteValue>;
    if (route.from !== "file" || route.value.status === 0) continue;
    const ties = tiesOf(route, inventory);
    const order = ties.reduce((most, tie) => Math.max(most, next.get(tie) ?? 0), 0);
    for (const tie of ties) next.set(tie, order + 1);
    orders.set(route.id, order);
  }
  return orders;
}

/** Cache by resource and the service that its hosts come from: a reload asks again for thousands of routes. */
const known = new WeakMap<Resource, { service: Resource | undefined; ties: readonly string[] }>();

function tiesOf(route: Resource<RouteValue>, inventory: Inventory): readonly string[] {
  const service = inventory.serviceOf(route);
  const before = known.get(route);
  if (before && before.service === service) return before.ties;
  const ties = [...namesOf(route, service)];
  known.set(route, { service, ties });
  return ties;
}

/** Keys that hold the router's other criteria: routes that share one differ only in their order. */
function* namesOf(
  route: Resource<RouteValue>,
  service: Resource<ServiceValue> | undefined,
): Generator<string> {
  const { priority = 0 } = route.value;
  const hosts = routeHosts(route, service, ignore);
  for (const uri of routeUris(route, ignore))
    for (const host of hosts.length > 0 ? hosts : [""])
      yield `${host} ${priority} ${Buffer.byteLength(uri)} ${unescaped(literalPrefix(uri))}`;
}

/** Faults in hosts and paths are reported when the route is resolved. */
function ignore(): void {}

/** Unescapes as the router does: these escapes mean the characters themselves. */
const unescaped = (literal: string) => literal.replaceAll("%2A", "*").replaceAll("%3A", ":");
