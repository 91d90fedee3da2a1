import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { Inventory } from "./inventory.js";
import type { MatchFields, Reachability } from "./reachability.js";

/** Reports that no request reaches the route, or some of its paths. */
export function shadowDiagnostics(
  route: MatchFields,
  reachability: Reachability,
  inventory: Inventory,
  cause?: string,
): Diagnostic[] {
  const whole = shadowed(route, reachability, inventory, cause);
  if (whole) return [whole];
  if (route.uris.length < 2) return [];
  return route.uris.flatMap((uri, index) => {
    const shadow = reachability.shadowOf(route, [uri]);
    const [first] = shadow?.by ?? [];
    if (!shadow || !first || (cause !== undefined && !shadow.by.some(({ id }) => id === cause))) return [];
    const span = inventory.get("routes", route.id)?.spans.value(["uris", index]);
    const params = { id: route.id, uri, other: first.id };
    return [diagnostic("GW3046", span, params, { notes: notesOn(shadow.by, inventory) })];
  });
}

/** @returns undefined if some request reaches it, or `cause` is given and not involved */
function shadowed(
  route: MatchFields,
  reachability: Reachability,
  inventory: Inventory,
  cause?: string,
): Diagnostic | undefined {
  const shadow = reachability.shadowOf(route);
  const [first, ...others] = shadow?.by ?? [];
  if (!shadow || !first) return undefined;
  if (cause !== undefined && !shadow.by.some(({ id }) => id === cause)) return undefined;
  const notes = notesOn(shadow.by, inventory);
  const before =
    others.length === 0
      ? `route "${first.id}" always matches`
      : `route "${first.id}" and ${others.length} more always match`;
  const params = { id: route.id, other: first.id, before };
  return diagnostic(shadow.equal ? "GW3041" : "GW3040", matchSpan(route, inventory), params, { notes });
}

function notesOn(routes: readonly MatchFields[], inventory: Inventory): Diagnostic["notes"] {
  return routes.slice(0, 5).map((other) => {
    const span = matchSpan(other, inventory);
    return { message: `route "${other.id}" matches first`, ...(span && { span }) };
  });
}

function matchSpan(route: MatchFields, inventory: Inventory): Span | undefined {
  const resource = inventory.get("routes", route.id);
  if (!resource) return undefined;
  const value = resource.value as { uri?: string };
  return resource.spans.value([value.uri === undefined ? "uris" : "uri"]);
}
