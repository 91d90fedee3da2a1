import { diagnostic } from "../diagnostics/report.js";
import type { Report } from "../model/diagnostic.js";
import type { ConsumerKey, ResolveContext, ResolvedConsumer, ResolvedPlugin } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import type { Inventory } from "./inventory.js";
import { mergedPlugins } from "./merge.js";
import type { PluginsValue } from "./values.js";

/** Returns nothing if no plugin of the list authenticates. */
export function consumersFor(
  plugins: readonly ResolvedPlugin[],
  inventory: Inventory,
  context: ResolveContext,
): { consumers?: ResolvedConsumer[] } {
  if (!plugins.some(({ name }) => context.authenticates?.(name))) return {};
  return { consumers: consumersOf(inventory) };
}

/** Sorts by username. One unnamed consumer represents all that have errors. */
function consumersOf(inventory: Inventory): ResolvedConsumer[] {
  const known = [...inventory.all("consumers").values()]
    .map((resource) => ({
      username: resource.id,
      plugins: mergedPlugins([resource as Resource<PluginsValue>]),
    }))
    .sort((a, b) => (a.username < b.username ? -1 : 1));
  return inventory.hasInvalid("consumers") ? [{ username: "", plugins: [], invalid: true }, ...known] : known;
}

/**
 * Reports equal keys even if no route authenticates. The write of the second consumer is then rejected,
 * instead of a later write of a route.
 * @param written ids of the consumers of a write. Default: those of files, as stored ones were accepted
 * before
 */
export function checkConsumers(
  inventory: Inventory,
  { consumerKey }: Pick<ResolveContext, "consumerKey">,
  report: Report,
  written?: ReadonlySet<string>,
): void {
  if (consumerKey === undefined || written?.size === 0) return;
  const concerns = (username: string) =>
    written ? written.has(username) : inventory.get("consumers", username)?.from !== "store";
  reportSharedKeys(consumersOf(inventory), consumerKey, report, concerns);
}

/** Reports consumers with equal keys, which cannot be told apart. @param concerns one of the two must be relevant */
export function reportSharedKeys(
  consumers: readonly ResolvedConsumer[],
  keyOf: (plugin: ResolvedPlugin) => ConsumerKey | undefined,
  report: Report,
  concerns: (username: string) => boolean = () => true,
): void {
  const owners = new Map<string, { username: string; place: ConsumerKey["span"] }>();
  for (const { username, plugins } of consumers)
    for (const plugin of plugins) {
      const key = keyOf(plugin);
      if (key === undefined) continue;
      const name = JSON.stringify([plugin.name, key.text]);
      const first = owners.get(name);
      if (first === undefined) {
        owners.set(name, { username, place: key.span });
        continue;
      }
      if (!concerns(username) && !concerns(first.username)) continue;
      const notes = [{ message: `consumer "${first.username}" has it here`, span: first.place }];
      report(diagnostic("GW4302", key.span, { username, other: first.username }, { notes }));
    }
}
