import { diagnostic } from "../diagnostics/report.js";
import type { Report } from "../model/diagnostic.js";
import type { ResolveContext } from "../model/resolved.js";
import { pluginKinds, singular } from "../model/resource.js";
import { idSpan } from "./duplicates.js";
import type { Inventory } from "./inventory.js";
import type { PluginsValue } from "./values.js";

/**
 * Reports resources of the files that nothing uses; stored ones are written before their users. Nothing is
 * reported if a route or service has errors: its references are not known yet.
 * @param authenticated true if any route authenticates clients
 */
export function checkUnused(
  inventory: Inventory,
  context: ResolveContext,
  authenticated: boolean,
  report: Report,
): void {
  if (context.incomplete) return;
  checkUnusedOfPlugins(inventory, context, report);
  if (inventory.hasUnknownUsers) return;
  for (const kind of ["services", "upstreams", "plugin_configs"] as const)
    for (const resource of inventory.all(kind).values())
      if (resource.from === "file" && !inventory.isUsed(kind, resource.id))
        report(diagnostic("GW3011", idSpan(resource), { kind: singular(kind), id: resource.id }));
  for (const consumer of inventory.all("consumers").values()) {
    if (consumer.from !== "file") continue;
    const { plugins = {} } = consumer.value as PluginsValue;
    const recognisable = Object.keys(plugins).some((name) => context.authenticates?.(name));
    const code = recognisable ? (authenticated ? undefined : "GW3015") : "GW3012";
    if (code) report(diagnostic(code, idSpan(consumer), { id: consumer.id }));
  }
  if (context.tlsListener) return;
  for (const ssl of inventory.all("ssls").values())
    if (ssl.from === "file") report(diagnostic("GW3013", idSpan(ssl), { id: ssl.id }));
}

/**
 * Reports resources of plugins' kinds without their section, or without a reference from a kind that could
 * refer to them.
 */
function checkUnusedOfPlugins(
  inventory: Inventory,
  { sections }: Pick<ResolveContext, "sections">,
  report: Report,
): void {
  for (const { name: kind, requiresSection } of pluginKinds()) {
    const users = pluginKinds().filter(({ references }) => references?.some((field) => field.kind === kind));
    const judged = users.length > 0 && !users.some(({ name }) => inventory.hasInvalid(name));
    const idle =
      requiresSection !== undefined && sections?.has(requiresSection.section) === false
        ? requiresSection.finding
        : undefined;
    for (const resource of inventory.all(kind).values()) {
      if (resource.from !== "file") continue;
      const code = idle ?? (judged && !inventory.isUsed(kind, resource.id) ? "GW3011" : undefined);
      if (code) report(diagnostic(code, idSpan(resource), { kind: singular(kind), id: resource.id }));
    }
  }
}
