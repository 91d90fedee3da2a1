import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { messageOf } from "../abi/error-message.js";
import { sha256 } from "../abi/hash.js";
import type { Counter, Gauge, Histogram, Labels, MetricFamily, Metrics } from "../abi/metrics.js";
import type { PluginFile } from "../abi/plugin-bundle.js";
import {
  hasSink,
  type PluginRuntime,
  type RuntimeModule,
  registerRuntime,
  runtimeIn,
} from "../abi/plugin-runtime.js";
import type { ResourceContext, SharedResource } from "../abi/resource.js";

/** Hashes of the files that this process has loaded, by plugin: a process never unloads a module. */
const loaded = new Map<string, string>();

/** Called before modules that use the files. @throws Error if a file differs from the built one or does not load */
export async function loadPluginFiles(files: readonly PluginFile[]): Promise<void> {
  for (const { name, file, hash } of files) {
    const known = loaded.get(name);
    if (known === hash) continue;
    if (known !== undefined)
      throw new Error(`plugin ${name}: another version of it is loaded in this process`);
    registerRuntime(name, withOwnMetrics(name, await runtimeOf(name, file, hash)));
    loaded.set(name, hash);
  }
}

async function runtimeOf(name: string, file: string, hash: string): Promise<PluginRuntime> {
  if (sha256(readFileSync(file)) !== hash) throw new Error(`plugin ${name}: ${file} does not have its hash`);
  try {
    return runtimeIn((await import(pathToFileURL(file).href)) as RuntimeModule);
  } catch (error) {
    throw new Error(`plugin ${name} does not load: ${messageOf(error)}`);
  }
}

/** Returns a fingerprint of a set of files in any order: a worker that outlived control may have others. */
export function fingerprintOf(files: readonly Pick<PluginFile, "name" | "hash">[]): string {
  return files
    .map(({ name, hash }) => `${name}:${hash}`)
    .sort()
    .join(" ");
}

export const loadedFingerprint = (): string =>
  fingerprintOf([...loaded].map(([name, hash]) => ({ name, hash })));

const NAME = /^[a-z][a-z0-9_]*$/;

/** Metrics `gw_<plugin>_…` of a packaged plugin: it cannot change those of gwc and of other plugins. */
class OwnMetrics implements Metrics {
  readonly #prefix: string;
  readonly #metrics: Metrics;
  readonly #types = new Map<string, MetricFamily["type"]>();

  constructor(plugin: string, metrics: Metrics) {
    this.#prefix = `gw_${plugin.replaceAll("-", "_")}_`;
    this.#metrics = metrics;
  }

  counter(name: string, help: string, labels: Labels): Counter {
    return this.#metrics.counter(this.#qualifiedName(name, "counter"), help, labels);
  }

  gauge(name: string, help: string, labels: Labels): Gauge {
    return this.#metrics.gauge(this.#qualifiedName(name, "gauge"), help, labels);
  }

  histogram(name: string, help: string, labels: Labels, buckets: readonly number[]): Histogram {
    return this.#metrics.histogram(this.#qualifiedName(name, "histogram"), help, labels, buckets);
  }

  forget(name: string, labels: Labels): void {
    if (this.#types.has(name)) this.#metrics.forget(name, labels);
  }

  onCollect(refresh: () => void | Promise<void>): () => void {
    return this.#metrics.onCollect(refresh);
  }

  #qualifiedName(name: string, type: MetricFamily["type"]): string {
    if (!name.startsWith(this.#prefix) || !NAME.test(name))
      throw new Error(`the metric "${name}" is not called ${this.#prefix}…`);
    const known = this.#types.get(name) ?? type;
    if (known !== type) throw new Error(`the metric "${name}" is a ${known}, not a ${type}`);
    this.#types.set(name, type);
    return name;
  }
}

/** Wraps a plugin's runtime code so that its resources are opened with metrics of their plugin only. */
function withOwnMetrics(plugin: string, runtime: PluginRuntime): PluginRuntime {
  const calls = Object.entries(runtime.exports ?? {}).map(([name, call]: [string, unknown]) => {
    if (typeof call !== "function") return [name, call];
    return [name, (...given: unknown[]) => confined(plugin, call(...given))];
  });
  const { openSink } = runtime;
  return {
    ...runtime,
    exports: Object.fromEntries(calls) as object,
    ...(openSink && { openSink: (to, context) => openSink(to, ownMetrics(plugin, context)) }),
  };
}

const ownMetrics = (plugin: string, context: ResourceContext): ResourceContext => ({
  ...context,
  metrics: new OwnMetrics(plugin, context.metrics),
});

function confined(plugin: string, made: unknown): unknown {
  const { resource } = (made ?? {}) as { resource?: SharedResource };
  if (typeof resource?.open !== "function") return made;
  // The plugin's logger counts records in metrics of gwc; its sink has those of the plugin.
  if (resource.kind === plugin && hasSink(plugin)) return made;
  const own: SharedResource = {
    kind: resource.kind,
    key: resource.key,
    ...(resource.delivers && { delivers: resource.delivers }),
    ...(resource.spooled && { spooled: resource.spooled }),
    open: (context) => resource.open(ownMetrics(plugin, context)),
    use: (opened) => resource.use(opened),
  };
  return Object.defineProperty(made, "resource", { value: own });
}
