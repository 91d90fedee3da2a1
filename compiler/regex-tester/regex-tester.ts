import { JobSlots, JobThread } from "../../runtime/abi/job-thread.js";
import type { CompiledFilter } from "./compiled-filter.js";
import type { ReadRegex, RegexTestInput } from "./test-input.js";
import type { RegexTestResult } from "./test-regex.js";
import type { TesterMessage } from "./tester-thread.js";

const THREAD = new URL("./tester-thread.js", import.meta.url);
/** Timeout in ms for the start of the thread and the analysis of a pattern, which counts its steps. */
const MAX_JUDGING_MS = 15_000;
/** Timeout in ms. An accepted pattern takes 50 ms for a slice of a body; a longer one has `allow_slow`. */
const MAX_SEARCH_MS = 1_000;
/** Maximum heap of the thread: 64 kB of text become at most 128 MB. */
const MAX_MEGABYTES = 512;

export interface UntestedRegex {
  fault: string;
}

/** Tests one after another in a separate thread, so that no search blocks anything else. */
export class RegexTester {
  readonly #places = new JobSlots("patterns are being tried");
  readonly #thread = new JobThread<RegexTestInput, TesterMessage>({
    module: THREAD,
    megabytes: MAX_MEGABYTES,
  });

  /**
   * Tests the pattern that `read` returns; anything else that it returns is passed on.
   * @param read occupies a slot as well: it takes time of the compiler, which has writes to compile
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
