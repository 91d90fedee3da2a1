import { reserveHeaders } from "../../runtime/abi/reserved-header-names.js";
import { addDefaultMasks, mountPlugin } from "../../schema/schemas.js";
import { registerDiagnostics } from "../diagnostics/catalogue/index.js";
import { registerKinds } from "../model/resource.js";
import { registerFormats, registerVariables } from "./contributions.js";
import type { PluginDefinition } from "./definition.js";

const known = new Map<string, PluginDefinition>();

/** Lasts for the life of this thread. @throws Error if a name of the plugin, or one that it adds, is taken */
export function registerPlugin(plugin: PluginDefinition): void {
  if (known.has(plugin.name)) throw new Error(`there are two plugins called ${plugin.name}`);
  registerKinds(plugin.name, plugin.kinds);
  registerFormats(plugin.name, plugin.formats);
  registerDiagnostics(plugin.name, plugin.diagnostics);
  registerVariables(plugin.name, plugin.variables);
  reserveHeaders(plugin.reservedHeaders ?? []);
  known.set(plugin.name, plugin);
  mountPlugin(plugin.name, plugin.moduleUrl);
  if (plugin.defaultMasks) addDefaultMasks(plugin.defaultMasks);
}

/** Runs at the start of a compiler thread. @param modules file: URLs of modules that register plugins */
export async function loadPlugins(modules: readonly string[]): Promise<void> {
  for (const module of modules) await import(module);
}

export function plugins(): readonly PluginDefinition[] {
  return [...known.values()];
}

export function pluginsWithKinds(): readonly PluginDefinition[] {
  return plugins()
    .filter(({ kinds = [] }) => kinds.length > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function findPlugin(name: string): PluginDefinition | undefined {
  return known.get(name);
}

export function pluginNames(): string[] {
  return [...known.keys()];
}
