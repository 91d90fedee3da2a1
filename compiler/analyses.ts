import { Worker } from "node:worker_threads";
import type { HeavyWork } from "./analysis.js";
import type { AnalysisData } from "./analysis-thread.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { diagnostic } from "./diagnostics/report.js";
import type { NamedPackage } from "./packages/named.js";
import type { Note } from "./regex/analysis-cache.js";

/** Seconds for the patterns of one write: those of any 131,072 characters that are not made for it take a tenth. */
const MOST_SECONDS = 30;

/** Analyses of writes, each in a thread of its own, one after the other: they leave the other cores alone. */
export class Analyses {
  /** What the threads load before they begin. */
  packages: readonly NamedPackage[] = [];
  readonly #plugins: readonly string[];
  readonly #seconds: number;
  #tail: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #closed = false;

  /** @param plugins modules that register the plugins there are, as file: URLs */
  constructor(plugins: readonly string[], seconds = MOST_SECONDS) {
    this.#plugins = plugins;
    this.#seconds = seconds;
  }

  /** @returns what was found out: nothing when the thread failed, so that the write itself shows why; or GW4511 */
  run(work: HeavyWork): Promise<Note[] | Diagnostic> {
    const result = this.#tail.then(() => (this.#closed ? [] : this.#inThread(work)));
    this.#tail = result;
    return result;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #inThread(work: HeavyWork): Promise<Note[] | Diagnostic> {
    const workerData: AnalysisData = {
      work,
      plugins: this.#plugins,
      packages: this.packages.map(({ name, folder }) => ({ name, folder })),
    };
    const worker = new Worker(new URL("./analysis-thread.js", import.meta.url), { workerData });
    this.#worker = worker;
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        resolve(diagnostic("GW4511", undefined, { seconds: this.#seconds }));
        void worker.terminate();
      }, this.#seconds * 1000);
      worker.on("message", resolve);
      worker.on("error", () => resolve([]));
      worker.on("exit", () => {
        clearTimeout(late);
        this.#worker = undefined;
        resolve([]);
      });
    });
  }
}
