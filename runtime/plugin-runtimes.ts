import { PLUGIN_RUNTIMES } from "../plugins/runtime.js";
import type { OpenSink } from "./log/contract.js";
import type { PluginRuntime } from "./plugin-runtime.js";

const MODULE = /^gwc\/plugins\/(.+)$/;

function runtimeOf(plugin: string): PluginRuntime | undefined {
  return Object.hasOwn(PLUGIN_RUNTIMES, plugin) ? PLUGIN_RUNTIMES[plugin] : undefined;
}

/** What generated code gets as `gwc/plugins/<name>`; undefined for another name, or a plugin without calls. */
export function pluginCalls(module: string): object | undefined {
  const [, plugin] = MODULE.exec(module) ?? [];
  return plugin === undefined ? undefined : runtimeOf(plugin)?.calls;
}

/** @throws Error for a kind that no plugin has */
export const openSink: OpenSink = (destination, context) => {
  const open = runtimeOf(destination.kind)?.openSink;
  if (open === undefined)
    throw new Error(`nothing here delivers to a destination of kind ${destination.kind}`);
  return open(destination, context);
};
