import { existsSync } from "node:fs";
import type { Tried } from "../../../compiler/which-route/told.js";
import { messageOf } from "../../abi/error-message.js";
import { JobThread, Places } from "../../abi/job-thread.js";
import { log } from "../../process/log.js";
import type { Trial } from "./trial.js";
import type { TrialReply } from "./trial-thread.js";

const THREAD = new URL("./trial-thread.js", import.meta.url);
/** Milliseconds for one trial; the first of a large configuration takes longest, since the generation is read for it. */
const LONGEST_MS = 15_000;
/** Size of the thread's heap. */
const MOST_MEGABYTES = 1_024;

/** Why there is no answer. */
export interface Untried {
  fault: string;
}

/**
 * Tries requests in a thread, one after another, so that neither a large configuration nor a module that does not end holds
 * control. Not in the compiler's thread: to end what does not end there would cost the compiler its memory.
 */
export class TrialRunner {
  /** Number of questions, from before they are read to their answers. */
  readonly places = new Places("requests are being tried");
  readonly #longestMs: number;
  readonly #thread = new JobThread<Trial, TrialReply>({
    module: THREAD,
    megabytes: MOST_MEGABYTES,
    ended: (reason) => log("trial_thread_ended", { reason }),
  });

  constructor(longestMs = LONGEST_MS) {
    this.#longestMs = longestMs;
  }

  run(trial: Trial): Promise<{ tried: Tried } | Untried> {
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

async function tryHere(trial: Trial): Promise<{ tried: Tried } | Untried> {
  const { Trials } = await import("./trial.js");
  try {
    return { tried: await new Trials().run(trial) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}
