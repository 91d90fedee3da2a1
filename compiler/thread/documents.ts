import { CompilerDiedError } from "../../runtime/abi/compiler-died-error.js";
import type { NamedPackage } from "../model/package.js";
import type { HeavyDocument } from "./pattern-analysis.js";
import type { PatternAnalysisQueue } from "./pattern-analysis-queue.js";
import type { ValidatedDocument } from "./validate-document.js";

/** Characters that occupy the compiler's thread for about 30 ms, without patterns. */
const LARGE = 65_536;
/** Limit for new patterns in the compiler's thread, as for those of a write. */
const ANALYSIS_MS = 100;

/**
 * Validates documents of `POST /configs/validate`, independently of the running configuration. A large or
 * slow one gets its own thread: 11,000 routes with a pattern each blocked all writes for 74 s.
 */
export class Documents {
  readonly #here: (document: HeavyDocument, analysisMs: number) => Promise<ValidatedDocument | null>;
  readonly #beside: PatternAnalysisQueue;

  /**
   * @param here validates in the compiler's thread; null if the patterns take longer
   * @param beside its own queue, so that analyses of writes do not wait for documents
   */
  constructor(
    here: (document: HeavyDocument, analysisMs: number) => Promise<ValidatedDocument | null>,
    beside: PatternAnalysisQueue,
  ) {
    this.#here = here;
    this.#beside = beside;
  }

  set packages(packages: readonly NamedPackage[]) {
    this.#beside.packages = packages;
  }

  /** @throws CompilerDiedError if the thread fails, such as for lack of memory */
  async validate(document: HeavyDocument): Promise<ValidatedDocument> {
    const small = document.text.length <= LARGE ? await this.#here(document, ANALYSIS_MS) : null;
    if (small !== null) return small;
    const found = await this.#beside.validate(document);
    if (found === undefined) throw new CompilerDiedError("the thread of a document ended");
    if (!("code" in found)) return found;
    return { errors: [{ resource_type: "configs", error: found.message }], diagnostics: [found] };
  }

  close(): Promise<void> {
    return this.#beside.close();
  }
}
