import { isDisabled } from "../2-validate/plugins.js";
import type { ResolvedPlugin } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import type { Inventory } from "./inventory.js";
import type { PluginsValue, RouteValue } from "./values.js";

/**
 * Precedence: route > its plugin_config > service > the service's plugin_config. Whole instances replace each
 * other. A disabled instance still overrides those below it, and runs nothing itself.
 */
export function mergedPlugins(layers: readonly Resource<PluginsValue>[]): ResolvedPlugin[] {
  const winners = new Map<string, Resource<PluginsValue>>();
  for (const layer of layers)
    for (const name of Object.keys(layer.value.plugins ?? {}))
      if (!winners.has(name)) winners.set(name, layer);
  const merged: ResolvedPlugin[] = [];
  for (const name of [...winners.keys()].sort()) {
    const layer = winners.get(name);
    const config = layer?.value.plugins?.[name];
    if (!layer || !config || isDisabled(config)) continue;
    merged.push(new PluginOfLayer(name, config, layer));
  }
  return merged;
}

/** Its span is computed when it is read, which most never are. */
class PluginOfLayer implements ResolvedPlugin {
  readonly name: string;
  readonly config: ResolvedPlugin["config"];
  readonly owner: ResolvedPlugin["owner"];
  readonly #spans: Resource["spans"];

  constructor(name: string, value: Record<string, unknown>, { kind, id, spans }: Resource) {
    this.name = name;
    this.config = { value, spans: spans.below(["plugins", name]) };
    this.owner = { kind, id };
    this.#spans = spans;
  }

  get span(): ResolvedPlugin["span"] {
    return this.#spans.key(["plugins", this.name]);
  }
}

/** Sources of plugins, highest precedence first. */
export function pluginLayers(route: Resource<RouteValue>, inventory: Inventory): Resource<PluginsValue>[] {
  const layers: Resource<PluginsValue>[] = [route];
  const service = inventory.serviceOf(route);
  const add = (id: string | number | undefined) => {
    const shared = id === undefined ? undefined : inventory.get("plugin_configs", String(id));
    if (shared) layers.push(shared as Resource<PluginsValue>);
  };
  add(route.value.plugin_config_id);
  if (service) {
    layers.push(service);
    add(service.value.plugin_config_id);
  }
  return layers;
}
