import type { Inventory } from "./inventory.js";
import { mergedPlugins } from "./merge.js";
import type { ResolvedConsumer } from "./resolved.js";
import type { Resource } from "./resource.js";
import type { PluginsValue } from "./values.js";

/** Every consumer, sorted by username. */
export function consumersOf(inventory: Inventory): ResolvedConsumer[] {
  return [...inventory.all("consumers").values()]
    .map((resource) => ({
      username: resource.id,
      plugins: mergedPlugins([resource as Resource<PluginsValue>]),
    }))
    .sort((a, b) => (a.username < b.username ? -1 : 1));
}
