import type { OpenSink } from "./delivery.js";
import type { Exchange } from "./exchange.js";
import { reserveHeaders } from "./reserved-header-names.js";
import { utf8 } from "./text/bytes.js";

export interface PluginRuntime {
  /** Exports for `gwc/plugins/<name>`, by the names in `exports` of the definition; absent: none. */
  readonly exports?: object;
  /** Readers of the definition's `variables`; undefined: no value. A text is a byte string. */
  readonly variables?: Readonly<Record<string, (x: Exchange) => string | number | undefined>>;
  /**
   * `reservedHeaders` of the definition, for plugins of gwc. Bundles of packages contain those of their
   * definition (`RuntimeModule`).
   */
  readonly reservedHeaders?: readonly string[];
  /** Opens destinations whose kind is the name of the plugin. */
  readonly openSink?: OpenSink;
  /** Extracts the record from a payload that contains more, for tests of operators. */
  readonly recordIn?: (payload: string) => string;
}

/** Module with a package's runtime code: its own, or the bundle that gwc makes of it. */
export interface RuntimeModule {
  /** Absent if the package has no runtime code. */
  readonly runtime?: PluginRuntime;
  /** `reservedHeaders` of the definition; only in a bundle. */
  readonly gwcReservedHeaders?: readonly string[];
}

/** Returns the runtime code in a module of a package; only its definition declares headers. */
export const runtimeIn = ({ runtime, gwcReservedHeaders = [] }: RuntimeModule): PluginRuntime => ({
  ...runtime,
  reservedHeaders: gwcReservedHeaders,
});

const MODULE = /^gwc\/plugins\/(.+)$/;

const known = new Map<string, PluginRuntime>();
const readers = new Map<string, (x: Exchange) => unknown>();

/** Registers for good: modules that are loaded later may call it. @throws Error if another plugin has its name */
export function registerRuntime(plugin: string, runtime: PluginRuntime): void {
  if (known.has(plugin)) throw new Error(`two plugins are called ${plugin}`);
  reserveHeaders(runtime.reservedHeaders ?? []);
  known.set(plugin, runtime);
  for (const [name, read] of Object.entries(runtime.variables ?? {})) readers.set(name, read);
}

/** @param module `gwc/plugins/<name>` @returns undefined for another name, or a plugin without calls */
export function pluginCalls(module: string): object | undefined {
  const [, plugin] = MODULE.exec(module) ?? [];
  return plugin === undefined ? undefined : known.get(plugin)?.exports;
}

/** Returns no value if its reader throws, or returns neither text nor number: a condition or a record continues. */
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

/** Reports whether such destinations can be opened: a shared resource of the kind is then a log output. */
export const hasSink = (kind: string): boolean => known.get(kind)?.openSink !== undefined;

export const recordIn = (kind: string, payload: string): string =>
  known.get(kind)?.recordIn?.(payload) ?? payload;

/** @throws Error for a kind that no plugin has */
export const openSink: OpenSink = (destination, context) => {
  const open = known.get(destination.kind)?.openSink;
  if (open === undefined) throw new Error(`no plugin delivers to a destination of kind ${destination.kind}`);
  return open(destination, context);
};
