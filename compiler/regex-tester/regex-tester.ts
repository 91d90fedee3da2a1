import { JobSlots, JobThread } from "../../runtime/abi/job-thread.js";
import type { CompiledFilter } from "./compiled-filter.js";
import type { ReadRegex, RegexTestInput } from "./test-input.js";
import type { RegexTestResult } from "./test-regex.js";
import type { TesterMessage } from "./tester-thread.js";

const THREAD = new URL("./tester-thread.js", import.meta.url);
/** Milliseconds until the thread is there, and for judging a pattern, whose analysis is counted in steps. */
const MAX_JUDGING_MS = 15_000;
/** Milliseconds for a search: what is accepted takes 50 for a slice of a body, so this one was allowed to be slow. */
const MAX_SEARCH_MS = 1_000;
/** Of the thread's heap: 64 kB of text become 128 MB at the most. */
const MAX_MEGABYTES = 512;

/** Why there is no answer. */
export interface UntestedRegex {
  fault: string;
}

/** Tries patterns in a thread of its own, one after another, so that no search holds anything else. */
export class RegexTester {
  readonly #places = new JobSlots("patterns are being tried");
  readonly #thread = new JobThread<RegexTestInput, TesterMessage>({
    module: THREAD,
    megabytes: MAX_MEGABYTES,
  });

  /**
   * Tries what is asked; what is no question goes back as it is.
   * @param read is counted as well: it takes the time of the compiler, which has writes to compile
   */
  async answer(
    read: () => Promise<ReadRegex>,
  ): Promise<RegexTestResult | UntestedRegex | Exclude<ReadRegex, { asked: unknown }>> {
    const answered = await this.#places.run(async () => {
      const question = await read();
      return "asked" in question ? this.run(question.asked) : question;
    });
    return answered ?? { fault: this.#places.taken };
  }

  run(asked: RegexTestInput): Promise<RegexTestResult | UntestedRegex> {
    return new Promise((settle) => {
      let judged: CompiledFilter | undefined;
      this.#thread.add({
        asked,
        longestMs: MAX_JUDGING_MS,
        heard(news) {
          if ("tried" in news) {
            settle(news.tried);
            return undefined;
          }
          judged = news.judged;
          return MAX_SEARCH_MS;
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
