import type { Diagnostic } from "../model/diagnostic.js";
import type { ResolveContext } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import type { Inventory } from "./inventory.js";
import { checkLoops } from "./loops.js";
import { checkOverriddenPlugins } from "./overridden-plugins.js";
import { checkPathReadings } from "./path-readings.js";
import type { RouteValue } from "./values.js";

/** Warns about routes in combination with their resources and the deployment. None affects a plan. */
export function checkCombinations(
  routes: Iterable<Resource>,
  inventory: Inventory,
  context: ResolveContext,
  report: (finding: Diagnostic) => void,
): void {
  const judged = [...routes].filter(({ from }) => from !== "build") as Resource<RouteValue>[];
  checkLoops(judged, inventory, context, report);
  checkPathReadings(judged, context, report);
  checkOverriddenPlugins(judged, inventory, context, report);
}
