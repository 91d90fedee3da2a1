/** Thread that simulates requests one after another, without a network. Started by `request-simulator.ts`. */
import { parentPort } from "node:worker_threads";
import { withoutNetwork } from "../in-process/no-network.js";
import { GenerationSimulator, type SimulatedRequest } from "./generation-simulator.js";

withoutNetwork();
const trials = new GenerationSimulator();

let before = Promise.resolve();
parentPort?.on("message", (trial: SimulatedRequest) => {
  before = before.then(async () => parentPort?.postMessage(await trials.reply(trial)));
});
