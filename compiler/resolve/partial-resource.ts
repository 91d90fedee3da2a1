import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Inventory } from "./inventory.js";
import type { ResolveContext, ResolvedRoute } from "./resolved.js";
import type { Resource } from "./resource.js";
import { checkReferences } from "./route.js";
import { asStandaloneRoute } from "./standalone-route.js";
import type { RouteValue } from "./values.js";

/**
 * Checks what can be of resources with errors of their own: the references here, plugins and conditions in the plan step,
 * which they reach as routes that nothing is made of. Nothing is said of what their faulty parts may have to do with.
 */
export function checkPartialResources(
  partial: readonly Resource[],
  inventory: Inventory,
  context: ResolveContext,
  report: (diagnostic: Diagnostic) => void,
): ResolvedRoute[] {
  return partial.map((resource) => {
    if (!context.incomplete) checkReferences(resource, inventory, report);
    const { vars } = resource.value as RouteValue;
    const route = asStandaloneRoute(resource, inventory, context);
    return vars === undefined
      ? route
      : { ...route, vars: { value: vars, spans: resource.spans.below(["vars"]) } };
  });
}
