/** A thread for one analysis: posts its answers and ends. Started by `worker.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { analyse, type HeavyWork } from "./analysis.js";
import { loadPackages } from "./packages/load.js";
import type { NamedPackage } from "./packages/named.js";
import { loadPlugins } from "./plugin/registry.js";

/** What the thread is started with. */
export interface AnalysisData {
  work: HeavyWork;
  plugins: readonly string[];
  packages: readonly NamedPackage[];
}

const { work, plugins, packages } = workerData as AnalysisData;
await loadPlugins(plugins);
await loadPackages(packages, { tried: true });
parentPort?.postMessage(analyse(work));
