import { Worker } from "node:worker_threads";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { NamedPackage } from "../model/package.js";
import type { CachedAnswer } from "../regex/analysis-cache.js";
import type { AnalysisData } from "./analysis-thread.js";
import type { HeavyDocument, PatternAnalysisJob } from "./pattern-analysis.js";
import type { ValidatedDocument } from "./validate-document.js";

/** Time limit for one write. Any 131,072 characters not made to be slow take a tenth of it. */
const MAX_SECONDS = 30;

/** Each analysis has its own thread, one after the other, so that other cores stay free. */
export class PatternAnalysisQueue {
  /** Packages that each thread loads before it begins. */
  packages: readonly NamedPackage[] = [];
  readonly #plugins: readonly string[];
  readonly #seconds: number;
  #tail: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #closed = false;

  /** @param plugins file: URLs of modules that register the available plugins */
  constructor(plugins: readonly string[], seconds = MAX_SECONDS) {
    this.#plugins = plugins;
    this.#seconds = seconds;
  }

  /** @returns nothing if the thread failed, so that the write itself shows the cause; GW4511 after the time limit */
  async run(work: PatternAnalysisJob): Promise<CachedAnswer[] | Diagnostic> {
    return (await this.#queued<CachedAnswer[]>(work, "GW4511")) ?? [];
  }

  /** @returns undefined if the thread failed; GW2139 after the time limit */
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
