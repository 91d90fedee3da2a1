import { Worker } from "node:worker_threads";
import type { AnalysisData } from "./analysis-thread.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { diagnostic } from "./diagnostics/report.js";
import type { NamedPackage } from "./packages/named.js";
import type { HeavyDocument, PatternAnalysisJob } from "./pattern-analysis.js";
import type { CachedAnswer } from "./regex/analysis-cache.js";
import type { ValidatedDocument } from "./validate-document.js";

/** Seconds for the patterns of one write: those of any 131,072 characters that are not made for it take a tenth. */
const MAX_SECONDS = 30;

/** Analyses of writes or documents, each in a thread of its own, one after the other: they leave the other cores alone. */
export class PatternAnalysisQueue {
  /** What the threads load before they begin. */
  packages: readonly NamedPackage[] = [];
  readonly #plugins: readonly string[];
  readonly #seconds: number;
  #tail: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #closed = false;

  /** @param plugins modules that register the plugins there are, as file: URLs */
  constructor(plugins: readonly string[], seconds = MAX_SECONDS) {
    this.#plugins = plugins;
    this.#seconds = seconds;
  }

  /** @returns what was found out: nothing when the thread failed, so that the write itself shows why; or GW4511 */
  async run(work: PatternAnalysisJob): Promise<CachedAnswer[] | Diagnostic> {
    return (await this.#queued<CachedAnswer[]>(work, "GW4511")) ?? [];
  }

  /** @returns undefined when the thread failed; or GW2139 */
  validate(document: HeavyDocument): Promise<ValidatedDocument | Diagnostic | undefined> {
    return this.#queued<ValidatedDocument>(document, "GW2139");
  }

  #queued<Answer>(
    work: AnalysisData["work"],
    late: "GW4511" | "GW2139",
  ): Promise<Answer | Diagnostic | undefined> {
    const result = this.#tail.then(() =>
      this.#closed ? undefined : this.#inThread<Answer | Diagnostic>(work, late),
    );
    this.#tail = result;
    return result;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #inThread<Answer>(work: AnalysisData["work"], tooLate: string): Promise<Answer | Diagnostic | undefined> {
    const workerData: AnalysisData = {
      work,
      plugins: this.#plugins,
      packages: this.packages.map(({ name, folder }) => ({ name, folder })),
    };
    const worker = new Worker(new URL("./analysis-thread.js", import.meta.url), { workerData });
    this.#worker = worker;
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        resolve(diagnostic(tooLate, undefined, { seconds: this.#seconds }));
        void worker.terminate();
      }, this.#seconds * 1000);
      worker.on("message", resolve);
      worker.on("error", () => resolve(undefined));
      worker.on("exit", () => {
        clearTimeout(late);
        this.#worker = undefined;
        resolve(undefined);
      });
    });
  }
}
