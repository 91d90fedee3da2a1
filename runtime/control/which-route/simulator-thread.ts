/** The thread that tries requests, one after another: modules run in it without a network. Started by `trial-runner.ts`. */
import { parentPort } from "node:worker_threads";
import type { Tried } from "../../../compiler/which-route/which-route-report.js";
import { messageOf } from "../../abi/error-message.js";
import { withoutNetwork } from "../in-process/no-network.js";
import { GenerationSimulator, type SimulatedRequest } from "./generation-simulator.js";

/** Answer of the thread to each `Trial`. */
export type SimulatorReply = { tried: Tried } | { fault: string };

withoutNetwork();
const trials = new GenerationSimulator();

let before = Promise.resolve();
parentPort?.on("message", (trial: SimulatedRequest) => {
  before = before.then(() => answer(trial));
});

async function answer(trial: SimulatedRequest): Promise<void> {
  try {
    parentPort?.postMessage({ tried: await trials.run(trial) } satisfies SimulatorReply);
  } catch (error) {
    parentPort?.postMessage({ fault: messageOf(error) } satisfies SimulatorReply);
  }
}
