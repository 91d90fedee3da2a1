import type { Path } from "../model/source.js";
import { pluginNames } from "../plugin/registry.js";

export interface PluginUse {
  plugin: string;
  path: Path;
}

/** Sections of the gateway itself. `plugin_attr` names plugins but does not use them. */
const OWN: ReadonlySet<string> = new Set(["gw", "deployment", "plugin_attr"]);

/** Finds the plugin of a section (`captcha`), and plugins that it uses (`captcha.audit.syslog`). */
export function pluginsOfSections(deployment: Record<string, unknown> | null): PluginUse[] {
  const known = new Set(pluginNames());
  const found: PluginUse[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (path.length === 0 && OWN.has(name)) continue;
      if (known.has(name) && typeof member === "object") found.push({ plugin: name, path: [...path, name] });
      visit(member, [...path, name]);
    }
  };
  visit(deployment, []);
  return found;
}
