import { CompilerDiedError } from "../runtime/abi/compiler-died-error.js";
import type { NamedPackage } from "./packages/named.js";
import type { HeavyDocument } from "./pattern-analysis.js";
import type { PatternAnalysisQueue } from "./pattern-analysis-queue.js";
import type { ValidatedDocument } from "./validate-document.js";

/** Characters of a document that takes the compiler's own thread some 30 ms besides its patterns. */
const LARGE = 65_536;
/** Milliseconds that patterns which nobody knows yet may take there, as those of a write. */
const ANALYSIS_MS = 100;

/**
 * Validates documents of `POST /configs/validate`. Nothing of one depends on what runs, so that a large or slow one has a thread of
 * its own: 11,000 routes with a pattern each held all writes for 74 s.
 */
export class Documents {
  readonly #here: (document: HeavyDocument, analysisMs: number) => Promise<ValidatedDocument | null>;
  readonly #beside: PatternAnalysisQueue;

  /**
   * @param here validates in the compiler's thread; null when the patterns take longer
   * @param beside its own, as analyses of writes do not wait for documents
   */
  constructor(
    here: (document: HeavyDocument, analysisMs: number) => Promise<ValidatedDocument | null>,
    beside: PatternAnalysisQueue,
  ) {
    this.#here = here;
    this.#beside = beside;
  }

  /** Loaded by a thread before it begins. */
  set packages(packages: readonly NamedPackage[]) {
    this.#beside.packages = packages;
  }

  /** @throws CompilerDiedError when the thread fails, for want of memory as an example */
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
