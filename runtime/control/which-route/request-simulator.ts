import { existsSync } from "node:fs";
import type { Tried } from "../../../compiler/which-route/which-route-report.js";
import { messageOf } from "../../abi/error-message.js";
import { JobSlots, JobThread } from "../../abi/job-thread.js";
import { log } from "../../process/log.js";
import type { SimulatedRequest } from "./generation-simulator.js";
import type { SimulatorReply } from "./simulator-thread.js";

const THREAD = new URL("./simulator-thread.js", import.meta.url);
/** Milliseconds for one trial; the first of a large configuration takes longest, since the generation is read for it. */
const LONGEST_MS = 15_000;
/** Size of the thread's heap. */
const MAX_MEGABYTES = 1_024;

/** Why there is no answer. */
export interface Untried {
  fault: string;
}

/**
 * Tries requests in a thread, one after another, so that neither a large configuration nor a module that does not end holds
 * control. Not in the compiler's thread: to end what does not end there would cost the compiler its memory.
 */
export class RequestSimulator {
  /** Number of questions, from before they are read to their answers. */
  readonly places = new JobSlots("requests are being tried");
  readonly #longestMs: number;
  readonly #thread = new JobThread<SimulatedRequest, SimulatorReply>({
    module: THREAD,
    megabytes: MAX_MEGABYTES,
    ended: (reason) => log("trial_thread_ended", { reason }),
  });

  constructor(longestMs = LONGEST_MS) {
    this.#longestMs = longestMs;
  }

  run(trial: SimulatedRequest): Promise<{ tried: Tried } | Untried> {
    // Sources alone, as in tests, have nothing to start a thread with.
    if (!existsSync(THREAD)) return tryHere(trial);
    return new Promise((settle) => {
      this.#thread.add({
        asked: trial,
        longestMs: this.#longestMs,
        heard(reply) {
          settle(reply);
          return undefined;
        },
        failed: (reason) => settle({ fault: reason }),
      });
    });
  }

  close(): void {
    this.#thread.close();
  }
}

async function tryHere(trial: SimulatedRequest): Promise<{ tried: Tried } | Untried> {
  const { GenerationSimulator } = await import("./generation-simulator.js");
  try {
    return { tried: await new GenerationSimulator().run(trial) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}
