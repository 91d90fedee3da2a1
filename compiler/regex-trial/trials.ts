import { JobThread, Places } from "../../runtime/abi/job-thread.js";
import type { AskedRegex, ReadRegex } from "./asked.js";
import type { JudgedRegex } from "./judged.js";
import type { TriedRegex } from "./trial.js";
import type { TrialNews } from "./trial-thread.js";

const THREAD = new URL("./trial-thread.js", import.meta.url);
/** Milliseconds until the thread is there, and for judging a pattern, whose analysis is counted in steps. */
const LONGEST_JUDGING_MS = 15_000;
/** Milliseconds for a search: what is accepted takes 50 for a slice of a body, so this one was allowed to be slow. */
const LONGEST_SEARCH_MS = 1_000;
/** Of the thread's heap: 64 kB of text become 128 MB at the most. */
const MOST_MEGABYTES = 512;

/** Why there is no answer. */
export interface Untried {
  fault: string;
}

/** Tries patterns in a thread of its own, one after another, so that no search holds anything else. */
export class RegexTrials {
  readonly #places = new Places("patterns are being tried");
  readonly #thread = new JobThread<AskedRegex, TrialNews>({ module: THREAD, megabytes: MOST_MEGABYTES });

  /**
   * Tries what is asked; what is no question goes back as it is.
   * @param read is counted as well: it takes the time of the compiler, which has writes to compile
   */
  async answer(
    read: () => Promise<ReadRegex>,
  ): Promise<TriedRegex | Untried | Exclude<ReadRegex, { asked: unknown }>> {
    const answered = await this.#places.run(async () => {
      const question = await read();
      return "asked" in question ? this.run(question.asked) : question;
    });
    return answered ?? { fault: this.#places.taken };
  }

  run(asked: AskedRegex): Promise<TriedRegex | Untried> {
    return new Promise((settle) => {
      let judged: JudgedRegex | undefined;
      this.#thread.add({
        asked,
        longestMs: LONGEST_JUDGING_MS,
        heard(news) {
          if ("tried" in news) {
            settle(news.tried);
            return undefined;
          }
          judged = news.judged;
          return LONGEST_SEARCH_MS;
        },
        failed(reason) {
          settle(judged === undefined ? { fault: reason } : { ...judged, result: null, unfinished: reason });
        },
      });
    });
  }

  close(): void {
    this.#thread.close();
  }
}
