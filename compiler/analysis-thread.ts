/** A thread for one analysis: posts its answers and ends. Started by `worker.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { analyse, type HeavyWork } from "./analysis.js";

parentPort?.postMessage(analyse(workerData as HeavyWork));
