/** Thread that simulates requests one after another, without a network. Started by `request-simulator.ts`. */
import { parentPort } from "node:worker_threads";
import type { RequestResult } from "../../../compiler/which-route/which-route-report.js";
import { messageOf } from "../../abi/error-message.js";
import { withoutNetwork } from "../in-process/no-network.js";
import { GenerationSimulator, type SimulatedRequest } from "./generation-simulator.js";

export type SimulatorReply = { tried: RequestResult } | { fault: string };

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
