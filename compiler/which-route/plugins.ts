import { isDisabled } from "../2-validate/plugins.js";
import type { Inventory } from "../3-resolve/inventory.js";
import { pluginLayers } from "../3-resolve/merge.js";
import type { PluginsValue, RouteValue } from "../3-resolve/values.js";
import { runningOrder } from "../4-plan/decisions.js";
import { configPath, readOrigin } from "../model/config-path.js";
import type { PlannedPipeline, StepPhase } from "../model/plan.js";
import type { Resource } from "../model/resource.js";
import type { SourceLocations } from "../model/source-locations.js";

type SetIn = "route" | "service" | "plugin_config" | "consumer" | "global";

/** Plugin of a route after merging. */
export interface PluginOfRoute {
  name: string;
  from: SetIn;
  address: string;
  /** "shop.yaml:31:9", or "store". */
  place: string;
  phases: StepPhase[];
  /** `_meta.disable` is set: neither it nor the plugins that it overrides do anything. */
  disabled: boolean;
  /** Overridden instances in resources of lower precedence. */
  hides: string[];
  decisions: string[];
}

const SET_IN: Readonly<Record<string, SetIn>> = {
  routes: "route",
  services: "service",
  plugin_configs: "plugin_config",
  consumers: "consumer",
  global_rules: "global",
};

function pluginAddress(address: string, plugin: string): string {
  const owner = readOrigin(address)?.owner;
  return owner === undefined ? address : configPath(owner, ["plugins", plugin]);
}

/** @returns "store" for a resource that is in no file */
export function placeIn(places: SourceLocations, address: string): string {
  const text = places.text(address);
  return text.startsWith("admin ") ? "store" : text;
}

/** @param id null if no route matched the request: then only global rules are returned */
export function pluginsOfRoute(
  id: string | null,
  pipelines: readonly (PlannedPipeline | null)[],
  { inventory, places }: { inventory: Inventory; places: SourceLocations },
): PluginOfRoute[] {
  const route = inventory.get("routes", id ?? "") as Resource<RouteValue> | undefined;
  const layers = route === undefined ? [] : pluginLayers(route, inventory);
  const rules = [...inventory.all("global_rules").values()] as Resource<PluginsValue>[];
  const found = new Map<string, PluginOfRoute>();
  const add = (layer: Resource<PluginsValue>, name: string, hides: string[]) => {
    const address = configPath(layer, ["plugins", name]);
    found.set(address, {
      ...{ name, from: SET_IN[layer.kind] ?? "route", address },
      ...{ place: placeIn(places, address), phases: [], hides, decisions: [] },
      disabled: isDisabled(layer.value.plugins?.[name]),
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
