import type { OpenSink } from "./delivery.js";
import type { Exchange } from "./exchange.js";
import { utf8 } from "./text/bytes.js";

/** What a plugin does at run time. */
export interface PluginRuntime {
  /** What generated code takes from `gwc/plugins/<name>`: the names that the definition gives as `exports`; absent: nothing. */
  readonly exports?: object;
  /** Reads the variables that the definition names as `variables`; undefined: it has no value now. A text is a byte string. */
  readonly variables?: Readonly<Record<string, (x: Exchange) => string | number | undefined>>;
  /** Opens destinations whose kind is the name of the plugin. */
  readonly openSink?: OpenSink;
  /** The record in an entry's payload, where that is more than the record: for tests of operators. */
  readonly recordIn?: (payload: string) => string;
}

const MODULE = /^gwc\/plugins\/(.+)$/;

const known = new Map<string, PluginRuntime>();
const readers = new Map<string, (x: Exchange) => unknown>();

/**
 * Makes what a plugin does known to this process, for good: modules that are loaded later may call it.
 * @throws Error when another plugin has its name
 */
export function registerRuntime(plugin: string, runtime: PluginRuntime): void {
  if (known.has(plugin)) throw new Error(`there are two plugins called ${plugin}`);
  known.set(plugin, runtime);
  for (const [name, read] of Object.entries(runtime.variables ?? {})) readers.set(name, read);
}

/** What generated code gets as `gwc/plugins/<name>`; undefined for another name, or a plugin without exports. */
export function pluginCalls(module: string): object | undefined {
  const [, plugin] = MODULE.exec(module) ?? [];
  return plugin === undefined ? undefined : known.get(plugin)?.exports;
}

/** Value of a plugin's variable. One whose reader fails, or gives no text and no number, is absent: a condition or a record goes on. */
export function pluginVariable(x: Exchange, name: string): string | number | undefined {
  const read = readers.get(name);
  if (read === undefined) return undefined;
  try {
    const value: unknown = read(x);
    if (typeof value === "string") return /^[\0-\xff]*$/.test(value) ? value : utf8(value);
    return typeof value === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether destinations of this kind can be opened: what a pipeline keeps of that kind is an output of logs. */
export const hasSink = (kind: string): boolean => known.get(kind)?.openSink !== undefined;

/** The record in the payload of an entry for a destination of this kind. */
export const recordIn = (kind: string, payload: string): string =>
  known.get(kind)?.recordIn?.(payload) ?? payload;

/** @throws Error for a kind that no plugin has */
export const openSink: OpenSink = (destination, context) => {
  const open = known.get(destination.kind)?.openSink;
  if (open === undefined)
    throw new Error(`nothing here delivers to a destination of kind ${destination.kind}`);
  return open(destination, context);
};
