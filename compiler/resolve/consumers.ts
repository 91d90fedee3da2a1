import type { Inventory } from "./inventory.js";
import { mergedPlugins } from "./merge.js";
import type { ResolveContext, ResolvedConsumer, ResolvedPlugin } from "./resolved.js";
import type { Resource } from "./resource.js";
import type { PluginsValue } from "./values.js";

/** The consumers for a list of plugins that has one which authenticates; nothing for any other list. */
export function consumersFor(
  plugins: readonly ResolvedPlugin[],
  inventory: Inventory,
  context: ResolveContext,
): { consumers?: ResolvedConsumer[] } {
  if (!plugins.some(({ name }) => context.authenticates?.(name))) return {};
  return { consumers: consumersOf(inventory) };
}

/** Every consumer, sorted by username; those with errors of their own as one without a name. */
function consumersOf(inventory: Inventory): ResolvedConsumer[] {
  const known = [...inventory.all("consumers").values()]
    .map((resource) => ({
      username: resource.id,
      plugins: mergedPlugins([resource as Resource<PluginsValue>]),
    }))
    .sort((a, b) => (a.username < b.username ? -1 : 1));
  return inventory.hasInvalid("consumers") ? [{ username: "", plugins: [], invalid: true }, ...known] : known;
}
