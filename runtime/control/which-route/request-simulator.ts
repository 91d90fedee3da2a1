import { existsSync } from "node:fs";
import { JobSlots, JobThread } from "../../abi/job-thread.js";
import { log } from "../../process/log.js";
import type { SimulatedRequest, SimulatorReply } from "./generation-simulator.js";

const THREAD = new URL("./simulator-thread.js", import.meta.url);
/** Timeout in ms of one simulation; the first one of a large configuration also reads the generation. */
const LONGEST_MS = 15_000;
/** Heap limit of the thread in MB. */
const MAX_MEGABYTES = 1_024;

/**
 * Simulates requests one after another in a thread, so that no large configuration or endless module blocks
 * control. It is not the compiler's thread, since ending that one would lose the caches of the compiler.
 */
export class RequestSimulator {
  /** Slots for concurrent queries, taken from before parsing until the response. */
  readonly places = new JobSlots("requests are being simulated");
  readonly #longestMs: number;
  readonly #thread = new JobThread<SimulatedRequest, SimulatorReply>({
    module: THREAD,
    megabytes: MAX_MEGABYTES,
    ended: (reason) => log("trial_thread_ended", { reason }),
  });

  constructor(longestMs = LONGEST_MS) {
    this.#longestMs = longestMs;
  }

  run(trial: SimulatedRequest): Promise<SimulatorReply> {
    // Without a build, as in tests, there is no thread to start.
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

async function tryHere(trial: SimulatedRequest): Promise<SimulatorReply> {
  const { GenerationSimulator } = await import("./generation-simulator.js");
  return new GenerationSimulator().reply(trial);
}
