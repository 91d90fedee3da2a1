import { diagnostic } from "../diagnostics/report.js";
import type { Report, Span } from "../model/diagnostic.js";
import { overlaps } from "../model/path-patterns.js";
import type { Listener, ResolveContext } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import type { Spanned } from "../model/source.js";
import { idSpan } from "./duplicates.js";
import type { Inventory } from "./inventory.js";
import { findLocalListener } from "./listeners.js";
import { routeUris } from "./match-fields.js";
import { mergedPlugins, pluginLayers } from "./merge.js";
import { type NodeEntry, upstreamNodes } from "./upstream.js";
import type { PluginsValue, RouteValue, ServiceValue, UpstreamValue } from "./values.js";

type Route = Resource<RouteValue>;
type Upstream = Spanned<UpstreamValue>;
type Context = Pick<ResolveContext, "listeners" | "authenticates" | "rewrites">;

const TLS = "gw.ssl.listen";
const ADMIN = "deployment.admin.admin_listen";
const JUDGED: ReadonlySet<string> = new Set(["gw.node_listen", TLS, ADMIN]);

/**
 * Reports nodes that are listeners of the gateway itself. For client listeners, the route must be certain to
 * match its own requests again; a plugin that changes requests may lead them to another route. For the admin
 * API, it suffices that nothing authenticates the client.
 */
export function checkLoops(
  routes: Iterable<Route>,
  inventory: Inventory,
  context: Context,
  report: Report,
): void {
  const listeners = context.listeners?.filter(({ setting }) => JUDGED.has(setting)) ?? [];
  if (listeners.length === 0) return;
  for (const route of routes) {
    const upstream = route.value.status === 0 ? undefined : upstreamOf(route, inventory);
    if (!upstream) continue;
    for (const { listener, at } of ownNodes(upstream, listeners)) {
      const code = judged(route, upstream, listener, inventory, context);
      if (code === undefined) continue;
      const { host, port } = at.node;
      const params = { id: route.id, address: `${host}:${port}`, setting: listener.setting };
      const notes = [{ message: `route "${route.id}" sends its requests there`, span: idSpan(route) }];
      report(diagnostic(code, nodeSpan(upstream, at), params, { notes }));
    }
  }
}

function upstreamOf(route: Route, inventory: Inventory): Upstream | undefined {
  const own = namedUpstream(route, inventory);
  if (own !== undefined) return own;
  const service = inventory.serviceOf(route);
  return service && namedUpstream(service, inventory);
}

function namedUpstream(
  { value, spans }: Resource<RouteValue | ServiceValue>,
  inventory: Inventory,
): Upstream | undefined {
  if (value.upstream_id !== undefined)
    return inventory.get("upstreams", String(value.upstream_id)) as Resource<UpstreamValue> | undefined;
  return value.upstream && { value: value.upstream, spans: spans.below(["upstream"]) };
}

/** A node of weight 0 receives no requests. */
function ownNodes(
  { value }: Upstream,
  listeners: readonly Listener[],
): { listener: Listener; at: NodeEntry }[] {
  return upstreamNodes(value.nodes, value.scheme ?? "http").flatMap((at) => {
    const listener = at.node.weight > 0 ? findLocalListener(at.node, listeners) : undefined;
    return listener ? [{ listener, at }] : [];
  });
}

function judged(
  route: Route,
  { value }: Upstream,
  listener: Listener,
  inventory: Inventory,
  context: Context,
): "GW3024" | "GW3025" | undefined {
  if (listener.setting === ADMIN) return isGuarded(route, inventory, context) ? undefined : "GW3025";
  if ((value.scheme === "https") !== (listener.setting === TLS)) return undefined;
  const changesHost = value.pass_host !== undefined && value.pass_host !== "pass";
  return !changesHost && comesBack(route, inventory, context) ? "GW3024" : undefined;
}

function isGuarded(route: Route, inventory: Inventory, { authenticates }: Context): boolean {
  return isNarrow(route) || pluginsOf(route, inventory).some((name) => authenticates?.(name));
}

/**
 * Reports whether the route certainly matches its own requests: nothing that is matched has changed, and no
 * overlapping route has further conditions.
 */
function comesBack(route: Route, inventory: Inventory, { rewrites }: Context): boolean {
  if (isNarrow(route) || pluginsOf(route, inventory).some((name) => rewrites?.(name))) return false;
  const uris = routeUris(route, () => {});
  for (const other of inventory.all("routes").values() as Iterable<Route>) {
    if (!isNarrow(other) || other.value.status === 0) continue;
    if (routeUris(other, () => {}).some((uri) => uris.some((own) => overlaps(own, uri)))) return false;
  }
  return true;
}

/**
 * Looks for conditions beyond path, host and method: the gateway's own requests have another client address,
 * and may have other headers than a client's.
 */
function isNarrow({ value }: Route): boolean {
  return [value.remote_addr, value.remote_addrs, value.vars].some((condition) => condition !== undefined);
}

function pluginsOf(route: Route, inventory: Inventory): string[] {
  const layers = pluginLayers(route, inventory);
  const rules = [...inventory.all("global_rules").values()] as Resource<PluginsValue>[];
  return [layers, ...rules.map((rule) => [rule])].flatMap(mergedPlugins).map(({ name }) => name);
}

function nodeSpan({ value, spans }: Upstream, { path }: NodeEntry): Span {
  return Array.isArray(value.nodes) ? spans.value(path) : spans.key(path);
}
