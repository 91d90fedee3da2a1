import { Worker } from "node:worker_threads";
import { builtFile } from "../../runtime/abi/built-file.js";
import { MAX_MS } from "../plugin/time-limit.js";

export class ImportError extends Error {
  /** Time limit, if the import exceeded it. */
  readonly seconds: number | undefined;

  constructor(reason: string, seconds?: number) {
    super(reason);
    this.seconds = seconds;
  }
}

/** Limit of a thread that only imports: far more than libraries of plugins need. */
const MAX_MEGABYTES = 512;

/**
 * Imports modules in a thread first, since an import in the calling thread cannot be ended. Errors that they
 * throw are left to the real import. The first import starts the thread, in 0.35 s with `gwc/plugin`
 * (measured); each further module takes a few milliseconds.
 */
export class ImportSandbox {
  readonly #plugins: boolean;
  readonly #longestMs: number;
  #thread: Worker | undefined;

  /** @param plugins true if the modules import `gwc/plugin` */
  constructor(plugins: boolean, longestMs = MAX_MS) {
    this.#plugins = plugins;
    this.#longestMs = longestMs;
  }

  /** @throws ImportError if the module loops, waits for ever, ends the process or exhausts the memory */
  async try(url: string): Promise<void> {
    const thread = this.#thread ?? this.#start();
    this.#thread = thread;
    let settle = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(this.#tooLong()), this.#longestMs);
        const ended = () => resolve();
        const failed = ({ name, message }: Error) => reject(new ImportError(`${name}: ${message}`));
        const gone = () => reject(new ImportError(GONE));
        thread.on("message", ended).on("error", failed).on("exit", gone).postMessage(url);
        settle = () => {
          clearTimeout(late);
          thread.off("message", ended).off("error", failed).off("exit", gone);
        };
      });
    } catch (error) {
      this.close();
      throw error;
    } finally {
      settle();
    }
  }

  close(): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
  }

  #start(): Worker {
    return new Worker(builtFile(new URL("./sandbox-thread.js", import.meta.url)), {
      workerData: { plugins: this.#plugins },
      // The real import prints the output of modules again.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
    });
  }

  #tooLong(): ImportError {
    const seconds = this.#longestMs / 1000;
    return new ImportError(`its import does not finish within ${seconds} s`, seconds);
  }
}

const GONE = "its import ends the process, or waits for something that never comes";
