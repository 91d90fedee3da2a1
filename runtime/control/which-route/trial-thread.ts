/** The thread that tries requests, one after another: modules run in it without a network. Started by `trial-runner.ts`. */
import { parentPort } from "node:worker_threads";
import type { Tried } from "../../../compiler/which-route/told.js";
import { messageOf } from "../../abi/error-message.js";
import { withoutNetwork } from "../in-process/no-network.js";
import { type Trial, Trials } from "./trial.js";

/** Answer of the thread to each `Trial`. */
export type TrialReply = { tried: Tried } | { fault: string };

withoutNetwork();
const trials = new Trials();

let before = Promise.resolve();
parentPort?.on("message", (trial: Trial) => {
  before = before.then(() => answer(trial));
});

async function answer(trial: Trial): Promise<void> {
  try {
    parentPort?.postMessage({ tried: await trials.run(trial) } satisfies TrialReply);
  } catch (error) {
    parentPort?.postMessage({ fault: messageOf(error) } satisfies TrialReply);
  }
}
