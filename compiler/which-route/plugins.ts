import { configPath, readOrigin } from "../plan/config-path.js";
import type { PlannedPipeline, StepPhase } from "../plan/plan.js";
import { runningOrder } from "../plan/running-order.js";
import type { SourceLocations } from "../plan/source-locations.js";
import type { Inventory } from "../resolve/inventory.js";
import { isDisabled, pluginLayers } from "../resolve/merge.js";
import type { Resource } from "../resolve/resource.js";
import type { PluginsValue, RouteValue, ServiceValue } from "../resolve/values.js";

/** Where a plugin of a route is set. */
type SetIn = "route" | "service" | "plugin_config" | "consumer" | "global";

/** One plugin of a route after merging. */
export interface PluginOfRoute {
  name: string;
  from: SetIn;
  /** "services/shop plugins.key-auth". */
  address: string;
  /** "shop.yaml:31:9", or "store". */
  place: string;
  /** In which it does something. */
  phases: StepPhase[];
  /** `_meta.disable` is set where it stands: it does nothing, nor do those that it hides. */
  disabled: boolean;
  /** Addresses of the same plugin in resources that weigh less: what is set there does not count. */
  hides: string[];
  /** What was decided about it, in words. */
  decisions: string[];
}

const SET_IN: Readonly<Record<string, SetIn>> = {
  routes: "route",
  services: "service",
  plugin_configs: "plugin_config",
  consumers: "consumer",
  global_rules: "global",
};

/** "services/shop plugins.key-auth" of a step that was made of a part of it. */
function pluginAddress(address: string, plugin: string): string {
  const owner = readOrigin(address)?.owner;
  return owner === undefined ? address : configPath(owner, ["plugins", plugin]);
}

/**
 * Plugins that a request of the route meets, global rules included.
 * @param id undefined in effect where no route took the request: only global rules are told then
 */
export function pluginsOfRoute(
  id: string | null,
  pipelines: readonly (PlannedPipeline | null)[],
  { inventory, places }: { inventory: Inventory; places: SourceLocations },
): PluginOfRoute[] {
  const route = inventory.get("routes", id ?? "") as Resource<RouteValue> | undefined;
  const layers = route === undefined ? [] : layersOf(route, inventory);
  const rules = [...inventory.all("global_rules").values()] as Resource<PluginsValue>[];
  const found = new Map<string, PluginOfRoute>();
  const add = (layer: Resource<PluginsValue>, name: string, hides: string[]) => {
    const address = configPath(layer, ["plugins", name]);
    const text = places.text(address);
    found.set(address, {
      ...{ name, from: SET_IN[layer.kind] ?? "route", address },
      ...{ place: text.startsWith("admin ") ? "store" : text, phases: [], hides, decisions: [] },
      disabled: isDisabled(layer.value.plugins?.[name] ?? {}),
    });
  };
  const names = new Set(layers.flatMap(({ value }) => Object.keys(value.plugins ?? {})));
  for (const name of names) {
    const [winner, ...others] = layers.filter(({ value }) => Object.hasOwn(value.plugins ?? {}, name));
    if (winner)
      add(
        winner,
        name,
        others.map((other) => configPath(other, ["plugins", name])),
      );
  }
  for (const rule of rules) for (const name of Object.keys(rule.value.plugins ?? {})) add(rule, name, []);
  const running = new Set<PluginOfRoute>();
  for (const step of runningOrder(pipelines, places)) {
    const plugin = found.get(pluginAddress(step.address, step.plugin));
    if (plugin === undefined) continue;
    plugin.phases.push(step.phase);
    plugin.decisions.push(...step.decisions);
    running.add(plugin);
  }
  const idle = [...found.values()].filter((plugin) => !running.has(plugin));
  return [...running, ...idle].map((plugin) => ({ ...plugin, phases: [...new Set(plugin.phases)] }));
}

function layersOf(route: Resource<RouteValue>, inventory: Inventory): Resource<PluginsValue>[] {
  const { service_id: service } = route.value;
  const found = service === undefined ? undefined : inventory.get("services", String(service));
  return pluginLayers(route, found as Resource<ServiceValue> | undefined, inventory);
}
