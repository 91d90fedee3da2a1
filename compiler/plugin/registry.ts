import { mountPlugin } from "../../schema/schemas.js";
import { registerDiagnostics } from "../diagnostics/catalogue/index.js";
import type { PluginDefinition } from "./definition.js";
import { registerFormats } from "./formats.js";
import { registerKinds } from "./kinds.js";
import { registerVariables } from "./variables.js";

const known = new Map<string, PluginDefinition>();

/**
 * Makes a plugin known to this process, for good.
 * @throws Error when another one has its name
 */
export function registerPlugin(plugin: PluginDefinition): void {
  if (known.has(plugin.name)) throw new Error(`there are two plugins called ${plugin.name}`);
  registerKinds(plugin.name, plugin.kinds);
  registerFormats(plugin.name, plugin.formats);
  registerDiagnostics(plugin.name, plugin.diagnostics);
  registerVariables(plugin.name, plugin.variables);
  known.set(plugin.name, plugin);
  mountPlugin(plugin.name, plugin.moduleUrl);
}

/** Imports modules that register plugins, as a thread has to that was started for compiling. @param modules file: URLs */
export async function loadPlugins(modules: readonly string[]): Promise<void> {
  for (const module of modules) await import(module);
}

/** Every plugin, in the order of its registration. */
export function plugins(): readonly PluginDefinition[] {
  return [...known.values()];
}

/** Those that have resources of their own kinds, by name. */
export function pluginsWithKinds(): readonly PluginDefinition[] {
  return plugins()
    .filter(({ kinds = [] }) => kinds.length > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function findPlugin(name: string): PluginDefinition | undefined {
  return known.get(name);
}

/** Names of all plugins, as texts list them. */
export function pluginNames(): string[] {
  return [...known.keys()];
}
