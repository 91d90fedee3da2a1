import type { UpstreamTable } from "../../runtime/abi/generation.js";
import { ERROR_RANK, missingText } from "../diagnostics/admin-text.js";
import { nearest } from "../diagnostics/nearest.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Report } from "../model/diagnostic.js";
import type { ResolveContext, ResolvedRoute } from "../model/resolved.js";
import { type Resource, singular } from "../model/resource.js";
import type { Spanned } from "../model/source.js";
import { consumersFor } from "./consumers.js";
import type { Inventory } from "./inventory.js";
import { hostsForPaths, routeHosts, routeUris, serviceHosts } from "./match-fields.js";
import { mergedPlugins, pluginLayers } from "./merge.js";
import { effectOfLoss, type Reference, references } from "./reference.js";
import { timeouts, upstreamTable } from "./upstream.js";
import type { RouteValue, ServiceValue, UpstreamValue } from "./values.js";

export interface RouteResolution {
  route: ResolvedRoute;
  /** False for `status: 0`: checked like any other, but not in the router. */
  enabled: boolean;
  /** Inline upstream. */
  table: UpstreamTable | undefined;
}

/** A dangling reference leaves its part out. */
export function resolveRoute(
  resource: Resource<RouteValue>,
  order: number,
  inventory: Inventory,
  context: ResolveContext,
  report: Report,
): RouteResolution {
  const { value, spans, id } = resource;
  if (!context.incomplete) checkReferences(resource, inventory, report);
  const service = inventory.serviceOf(resource);
  const table = inlineUpstream(resource, report);
  const own = upstreamKey(resource, inventory);
  const upstream = own === undefined && service ? upstreamKey(service, inventory) : own;
  const plugins = mergedPlugins(pluginLayers(resource, inventory));
  const enabled = value.status !== 0;
  const unavailable = unavailability(resource, service, inventory);
  if (
    enabled &&
    upstream === undefined &&
    unavailable === undefined &&
    !plugins.some(({ name }) => context.answers(name))
  )
    report(diagnostic("GW3030", spans.value([]), { id }));
  const timeout = timeouts(value.timeout);
  const uris = routeUris(resource, report);
  const route: ResolvedRoute = {
    id,
    ...(value.name !== undefined && { name: value.name }),
    ...(service && { serviceId: service.id }),
    ...(service?.value.name !== undefined && { serviceName: service.value.name }),
    hosts: hostsForPaths(resource, routeHosts(resource, service, report), uris, report),
    uris,
    methods: value.methods ?? [],
    remoteAddrs: value.remote_addr === undefined ? (value.remote_addrs ?? []) : [value.remote_addr],
    priority: value.priority ?? 0,
    order,
    ...(value.vars && { vars: { value: value.vars, spans: spans.below(["vars"]) } }),
    ...(timeout && { timeout }),
    enableWebsocket: value.enable_websocket ?? service?.value.enable_websocket ?? false,
    plugins,
    ...consumersFor(plugins, inventory, context),
    // Null also for a runtime that does not know `unavailable`: it must not forward either.
    upstream: unavailable === undefined ? (upstream ?? null) : null,
    ...(unavailable !== undefined && { unavailable }),
  };
  return { route, enabled, table };
}

/** Status of a route with missing plugins (reference 17): nobody knows who may pass. */
function unavailability(
  route: Resource<RouteValue>,
  service: Resource<ServiceValue> | undefined,
  inventory: Inventory,
): 404 | 503 | undefined {
  const lacksPlugins = [route, service].some((layer) => {
    const id = layer?.value.plugin_config_id;
    return id !== undefined && !inventory.get("plugin_configs", String(id));
  });
  if (lacksPlugins) return 503;
  return route.value.service_id !== undefined && !service ? 404 : undefined;
}

/** Runs the checks that do not depend on its routes. @returns its inline upstream */
export function resolveService(
  resource: Resource<ServiceValue>,
  inventory: Inventory,
  context: ResolveContext,
  report: Report,
): UpstreamTable | undefined {
  if (!context.incomplete) checkReferences(resource, inventory, report);
  serviceHosts(resource, report);
  return inlineUpstream(resource, report);
}

/** @returns undefined without an upstream; null for a missing one, which must not fall back to another */
function upstreamKey(
  resource: Resource<RouteValue | ServiceValue>,
  inventory: Inventory,
): string | null | undefined {
  const { upstream, upstream_id } = resource.value;
  if (upstream_id !== undefined)
    return inventory.get("upstreams", String(upstream_id)) ? String(upstream_id) : null;
  return upstream && `${singular(resource.kind)}:${resource.id}`;
}

function inlineUpstream(
  resource: Resource<RouteValue | ServiceValue>,
  report: Report,
): UpstreamTable | undefined {
  const { value, spans, id } = resource;
  if (!value.upstream) return undefined;
  const kind = singular(resource.kind);
  if (value.upstream_id !== undefined) {
    const note = { message: '"upstream_id" is set here', span: spans.key(["upstream_id"]) };
    report(diagnostic("GW3023", spans.key(["upstream"]), { kind, id }, { notes: [note] }));
  }
  const inline: Spanned<UpstreamValue> = { value: value.upstream, spans: spans.below(["upstream"]) };
  const table = upstreamTable(`${kind}:${id}`, inline, `the upstream of ${kind} "${id}"`, report);
  return value.upstream_id === undefined ? table : undefined;
}

export function checkReferences(resource: Resource, inventory: Inventory, report: Report): void {
  for (const { field, kind, id } of references(resource)) {
    if (inventory.get(kind, id)) continue;
    const absence = inventory.absence(kind, id);
    if (absence === "invalid") continue;
    const params = { field, kind: singular(kind), id };
    if (absence === "deleted")
      report(
        diagnostic("GW3014", resource.spans.value([field]), {
          ...params,
          effect: effectOfLoss(resource.kind, field),
        }),
      );
    else report(dangling(resource, { field, kind, id }, inventory));
  }
}

/** Order in which the reference resolves them. */
const REFERENCE_ORDER: readonly string[] = ["upstream_id", "service_id", "plugin_config_id"];

function dangling(resource: Resource, { field, kind, id }: Reference, inventory: Inventory): Diagnostic {
  const absence = inventory.absence(kind, id);
  const near = nearest(id, inventory.all(kind).keys());
  if (near !== undefined) inventory.setMeant(kind, near);
  const notes =
    absence === "deleted"
      ? [{ message: "it was deleted by force" }]
      : typeof absence === "object" && [{ message: "it was here before", span: absence.was }];
  const extra = {
    ...(near !== undefined && { help: `did you mean "${near}"?` }),
    // For a resource of a file, only the span has the position of the reference in that file.
    ...(near !== undefined &&
      resource.from === "store" && { fix: { op: "replace" as const, path: [field], value: near } }),
    ...(notes && { notes }),
  };
  const params = { field, kind: singular(kind), id };
  return {
    ...diagnostic("GW3010", resource.spans.value([field]), params, extra),
    errorMessage: missingText(kind, id),
    errorRank: ERROR_RANK.reference + REFERENCE_ORDER.indexOf(field) / 1000,
  };
}

/** Rejects references to a resource that was deleted by force. Unchanged resources may keep theirs. */
export function checkNewReferences(resource: Resource, inventory: Inventory, report: Report): void {
  for (const reference of references(resource))
    if (
      !inventory.get(reference.kind, reference.id) &&
      inventory.absence(reference.kind, reference.id) === "deleted"
    )
      report(dangling(resource, reference, inventory));
}
