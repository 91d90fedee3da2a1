import { ERROR_RANK } from "../diagnostics/admin-text.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Report } from "../model/diagnostic.js";
import type { ResolveContext, ResolvedGlobalRule, ResolvedPlugin } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import { consumersFor } from "./consumers.js";
import type { Inventory } from "./inventory.js";
import { mergedPlugins } from "./merge.js";
import type { PluginsValue } from "./values.js";

export function resolveGlobalRule(
  resource: Resource,
  inventory: Inventory,
  context: ResolveContext,
): ResolvedGlobalRule {
  const plugins = mergedPlugins([resource as Resource<PluginsValue>]);
  const consumers = consumersFor(plugins, inventory, context);
  return { id: resource.id, plugins, ...consumers };
}

/** One plugin in two global rules would run twice for every request, and neither place says which settings count. */
export function checkGlobalRules(rules: readonly ResolvedGlobalRule[], report: Report): void {
  const first = new Map<string, { rule: ResolvedGlobalRule; plugin: ResolvedPlugin }>();
  for (const rule of rules)
    for (const plugin of rule.plugins) {
      const earlier = first.get(plugin.name);
      if (!earlier) {
        first.set(plugin.name, { rule, plugin });
        continue;
      }
      const note = {
        message: `global_rule "${earlier.rule.id}" has it here`,
        span: earlier.plugin.span,
      };
      const params = { plugin: plugin.name, id: rule.id, other: earlier.rule.id };
      const errorMessage = `plugin '${plugin.name}' already exists in global rule with id '${earlier.rule.id}'`;
      const found = diagnostic("GW3031", plugin.span, params, { notes: [note] });
      report({ ...found, errorMessage, errorRank: ERROR_RANK.pluginFilter });
    }
}
