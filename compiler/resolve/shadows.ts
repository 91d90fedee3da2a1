import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Inventory } from "./inventory.js";
import type { Reachability } from "./reachability.js";
import type { ResolvedRoute } from "./resolved.js";

/** The finding that no request reaches `route`, naming those that match before it; undefined when some request can. */
export function shadowed(
  route: ResolvedRoute,
  reachability: Reachability,
  inventory: Inventory,
): Diagnostic | undefined {
  const shadow = reachability.shadowOf(route);
  const [first, ...others] = shadow?.by ?? [];
  if (!shadow || !first) return undefined;
  const notes = [first, ...others].slice(0, 5).map((other) => ({
    message: `route "${other.id}" matches first`,
    span: matchSpan(other, inventory),
  }));
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const params = { id: route.id, other: `"${first.id}"${more}` };
  return diagnostic(shadow.equal ? "GW3041" : "GW3040", matchSpan(route, inventory), params, { notes });
}

/** Where the route says what it matches. */
function matchSpan(route: ResolvedRoute, inventory: Inventory): Span {
  const resource = inventory.get("routes", route.id);
  if (!resource) return route.span;
  const value = resource.value as { uri?: string };
  return resource.spans.value([value.uri === undefined ? "uris" : "uri"]);
}
