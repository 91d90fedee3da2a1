import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Inventory } from "./inventory.js";
import type { MatchFields, Reachability } from "./reachability.js";

/**
 * The finding that no request reaches `route`, naming those that match before it; undefined when some request can.
 * @param cause when given, only a finding that this route is part of
 */
export function shadowed(
  route: MatchFields,
  reachability: Reachability,
  inventory: Inventory,
  cause?: string,
): Diagnostic | undefined {
  const shadow = reachability.shadowOf(route);
  const [first, ...others] = shadow?.by ?? [];
  if (!shadow || !first) return undefined;
  if (cause !== undefined && !shadow.by.some(({ id }) => id === cause)) return undefined;
  const notes = [first, ...others].slice(0, 5).map((other) => {
    const span = matchSpan(other, inventory);
    return { message: `route "${other.id}" matches first`, ...(span && { span }) };
  });
  const before =
    others.length === 0
      ? `route "${first.id}" always matches`
      : `route "${first.id}" and ${others.length} more always match`;
  const params = { id: route.id, other: first.id, before };
  return diagnostic(shadow.equal ? "GW3041" : "GW3040", matchSpan(route, inventory), params, { notes });
}

/** Where the route says what it matches. */
function matchSpan(route: MatchFields, inventory: Inventory): Span | undefined {
  const resource = inventory.get("routes", route.id);
  if (!resource) return undefined;
  const value = resource.value as { uri?: string };
  return resource.spans.value([value.uri === undefined ? "uris" : "uri"]);
}
