import { Worker } from "node:worker_threads";
import { builtFile } from "../../runtime/abi/built-file.js";
import { MAX_MS } from "../plugin/time-limit.js";

/** Why a module is not imported here. */
export class ImportError extends Error {
  /** Of one that went on: what it was given. */
  readonly seconds: number | undefined;

  constructor(reason: string, seconds?: number) {
    super(reason);
    this.seconds = seconds;
  }
}

/** Of a thread that only imports: far above what libraries of plugins take. */
const MAX_MEGABYTES = 512;

/**
 * Imports modules in a thread first, since nothing ends an import in the calling one. What they throw is left to the import that
 * counts. The thread is started with the first and takes 0.35 s with `gwc/plugin` (measured), a module more a few milliseconds.
 */
export class ImportSandbox {
  readonly #plugins: boolean;
  readonly #longestMs: number;
  #thread: Worker | undefined;

  /** @param plugins they import `gwc/plugin` */
  constructor(plugins: boolean, longestMs = MAX_MS) {
    this.#plugins = plugins;
    this.#longestMs = longestMs;
  }

  /**
   * @param url a file's
   * @throws ImportError for a module that loops, waits for ever, ends the process or fills the memory
   */
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
      // What modules print, they print again when they are imported here.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
    });
  }

  #tooLong(): ImportError {
    const seconds = this.#longestMs / 1000;
    return new ImportError(`its import does not end within ${seconds} s`, seconds);
  }
}

const GONE = "its import ends the process, or waits for something that never comes";
