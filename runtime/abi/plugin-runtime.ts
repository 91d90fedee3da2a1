import type { OpenSink } from "./delivery.js";

/** What a plugin does at run time. */
export interface PluginRuntime {
  /** What generated code takes from `gwc/plugins/<name>`: the names that the definition gives as `calls`. */
  readonly calls: object;
  /** Opens destinations whose kind is the name of the plugin. */
  readonly openSink?: OpenSink;
}

const MODULE = /^gwc\/plugins\/(.+)$/;

const known = new Map<string, PluginRuntime>();

/**
 * Makes what a plugin does known to this process, for good: modules that are loaded later may call it.
 * @throws Error when another plugin has its name
 */
export function registerRuntime(plugin: string, runtime: PluginRuntime): void {
  if (known.has(plugin)) throw new Error(`there are two plugins called ${plugin}`);
  known.set(plugin, runtime);
}

/** What generated code gets as `gwc/plugins/<name>`; undefined for another name, or a plugin without calls. */
export function pluginCalls(module: string): object | undefined {
  const [, plugin] = MODULE.exec(module) ?? [];
  return plugin === undefined ? undefined : known.get(plugin)?.calls;
}

/** Whether destinations of that kind can be delivered to. */
export const hasSink = (kind: string): boolean => known.get(kind)?.openSink !== undefined;

/** @throws Error for a kind that no plugin has */
export const openSink: OpenSink = (destination, context) => {
  const open = known.get(destination.kind)?.openSink;
  if (open === undefined)
    throw new Error(`nothing here delivers to a destination of kind ${destination.kind}`);
  return open(destination, context);
};
