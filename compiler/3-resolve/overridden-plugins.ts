import { isDeepStrictEqual } from "node:util";
import { pluginSchemaFile, schemaFile } from "../../schema/schemas.js";
import { withDefaults } from "../2-validate/defaults.js";
import { isDisabled } from "../2-validate/plugins.js";
import { collectFaults } from "../2-validate/schema-faults.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Report } from "../model/diagnostic.js";
import type { ResolveContext } from "../model/resolved.js";
import { type Resource, singular } from "../model/resource.js";
import type { Inventory } from "./inventory.js";
import { pluginLayers } from "./merge.js";
import type { PluginsValue, RouteValue } from "./values.js";

type Settings = Readonly<Record<string, unknown>>;

/**
 * Reports plugins of routes that override those of the service or plugin_config and lose their settings, as
 * if both were merged. If they could not be merged, one is an alternative to the other.
 */
export function checkOverriddenPlugins(
  routes: Iterable<Resource<RouteValue>>,
  inventory: Inventory,
  context: Pick<ResolveContext, "authenticates">,
  report: Report,
): void {
  for (const route of routes) {
    const { plugins = {} } = route.value;
    if (Object.keys(plugins).length === 0 || route.value.status === 0) continue;
    const [, ...below] = pluginLayers(route, inventory);
    for (const [name, own] of Object.entries(plugins)) {
      const layer = below.find(({ value }) => value.plugins?.[name] !== undefined);
      const lost = layer ? lostFields(name, own, layer.value.plugins?.[name] ?? {}, context) : [];
      if (layer && lost.length > 0) report(replaced(route, layer, name, lost));
    }
  }
}

function replaced(
  route: Resource<RouteValue>,
  layer: Resource<PluginsValue>,
  plugin: string,
  lost: readonly string[],
): Diagnostic {
  const owner = `${singular(layer.kind)} "${layer.id}"`;
  const fields = lost.map((field) => `"${field}"`).join(", ");
  const notes = lost.slice(0, 5).map((field) => ({
    message: `"${field}" is set here`,
    span: layer.spans.key(["plugins", plugin, field]),
  }));
  const params = { plugin, id: route.id, owner, fields };
  return diagnostic("GW3032", route.spans.key(["plugins", plugin]), params, { notes });
}

/** Cache by the overridden settings and those of the route; both objects are the same until they are written. */
const known = new WeakMap<Settings, WeakMap<Settings, readonly string[]>>();

function lostFields(
  plugin: string,
  own: Settings,
  below: Settings,
  { authenticates }: Pick<ResolveContext, "authenticates">,
): readonly string[] {
  if (isDisabled(own) || isDisabled(below)) return [];
  // Empty settings disable a plugin that only modifies.
  if (fieldsOf(own).length === 0 && !authenticates?.(plugin)) return [];
  const before = known.get(below)?.get(own);
  if (before) return before;
  const lost = findLost(plugin, own, below);
  const ofBelow = known.get(below) ?? new WeakMap<Settings, readonly string[]>();
  known.set(below, ofBelow.set(own, lost));
  return lost;
}

function findLost(plugin: string, own: Settings, below: Settings): readonly string[] {
  const file = pluginSchemaFile(plugin, "route");
  if (file === undefined || fieldsOf(below).every((field) => field in own)) return [];
  const place = schemaFile(file);
  const together = { ...below, ...own };
  const idle = Object.keys(together).some((field) => {
    const beside = place.node.properties?.[field]?.["x-ignored-with"];
    return beside !== undefined && beside in together;
  });
  if (idle || collectFaults(place, together).length > 0) return [];
  const settled: Settings = withDefaults(file, own);
  return fieldsOf(below).filter(
    (field) => !(field in own) && !isDeepStrictEqual(settled[field], below[field]),
  );
}

const fieldsOf = (settings: Settings): string[] => Object.keys(settings).filter((field) => field !== "_meta");
