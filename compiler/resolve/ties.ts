import type { Inventory } from "./inventory.js";
import { literalPrefix, routeHosts, routeUris } from "./match-fields.js";
import type { Resource } from "./resource.js";
import type { RouteValue, ServiceValue } from "./values.js";

/**
 * `order` of routes from the store: after those of the files, among themselves by id (the router's last criterion), so
 * that a write never renumbers another route.
 */
export const STORED_ORDER = 2 ** 31;

/**
 * `order` of the enabled routes of files, by id: the length of the longest row of routes before it of which each ties with the next,
 * and the last with it. Only routes that tie need to be told apart, so one that ties with none has order 0 whatever
 * stands before it, and an inserted route moves none but those that tie with it.
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

/** Of routes as they were read, with the services that their hosts were taken from: a reload asks again for thousands. */
const known = new WeakMap<Resource, { service: Resource | undefined; ties: readonly string[] }>();

function tiesOf(route: Resource<RouteValue>, inventory: Inventory): readonly string[] {
  const { service_id } = route.value;
  const service = service_id === undefined ? undefined : inventory.get("services", String(service_id));
  const before = known.get(route);
  if (before && before.service === service) return before.ties;
  const ties = [...namesOf(route, service as Resource<ServiceValue> | undefined)];
  known.set(route, { service, ties });
  return ties;
}

/** Routes that share one of these are told apart by nothing but their order: the router's other criteria are in it. */
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

/** What is wrong with hosts and paths is reported where the route is resolved. */
function ignore(): void {}

/** As the router compares it: escaped, these stand for themselves. */
const unescaped = (literal: string) => literal.replaceAll("%2A", "*").replaceAll("%3A", ":");
