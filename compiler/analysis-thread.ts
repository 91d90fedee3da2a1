/** A thread for one analysis: posts its answers and ends. Started by `worker.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { analyse, type HeavyWork } from "./analysis.js";
import { loadPlugins } from "./plugin/registry.js";

/** What the thread is started with. */
export interface AnalysisData {
  work: HeavyWork;
  plugins: readonly string[];
}

const { work, plugins } = workerData as AnalysisData;
await loadPlugins(plugins);
parentPort?.postMessage(analyse(work));
