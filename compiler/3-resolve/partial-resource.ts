import type { Diagnostic } from "../model/diagnostic.js";
import type { ResolveContext, ResolvedRoute } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import type { Inventory } from "./inventory.js";
import { checkReferences } from "./route.js";
import { asStandaloneRoute } from "./standalone-route.js";
import type { RouteValue } from "./values.js";

/**
 * Salvaged resources: references are checked here, plugins and conditions in the plan step, which receives
 * the resources as routes that yield no module. Nothing is reported that faulty parts may explain.
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
