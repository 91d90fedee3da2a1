import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import type { LinkTask } from "./link-thread.js";

/** Longer takes no file system that is worth the wait: the files are written then. */
const PATIENCE_MS = 30_000;

/**
 * A second directory beside a build, with links to all of its files, made by a thread of its own while the compiler works. To link 40,000
 * files, and to remove the links that they replace, is a fifth of a build after one changed value.
 */
export class LinkedCopy {
  readonly path: string;
  /** Where `replaceDirectory` moves what the copy replaces. */
  readonly previous: string;
  readonly #target: string;
  readonly #stamp: string | undefined;
  readonly #state = new Int32Array(new SharedArrayBuffer(8));
  readonly #ended: Promise<unknown>;
  #isTaken = false;

  /** @param target a directory that `gwc build` wrote */
  constructor(target: string) {
    const suffix = randomBytes(4).toString("hex");
    this.path = `${target}.next-${suffix}`;
    this.previous = `${target}.previous-${suffix}`;
    this.#target = target;
    this.#stamp = stampOf(target);
    const task: LinkTask = { from: target, to: this.path, previous: this.previous, state: this.#state };
    const worker = new Worker(new URL("./link-thread.js", import.meta.url), {
      workerData: task,
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 },
    });
    this.#ended = new Promise((resolve) => {
      worker.once("exit", resolve);
      // Without it files are written as ever: nothing that is built depends on the thread.
      worker.once("error", resolve);
    });
  }

  /**
   * Waits for the links and gives them away.
   * @returns whether they are all there, and lead to the build that stands in the target now; false the second time
   */
  take(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    Atomics.wait(this.#state, 0, 0, PATIENCE_MS);
    return Atomics.load(this.#state, 0) === 1 && stampOf(this.#target) === this.#stamp;
  }

  /** The thread may remove what is left: what the copy replaced, or, where it is not in its place, the copy. */
  leave(): void {
    Atomics.store(this.#state, 1, 1);
    Atomics.notify(this.#state, 1);
  }

  /** When nothing is left. */
  async end(): Promise<void> {
    this.leave();
    await this.#ended;
  }
}

/** Changes with each build that writes anything. */
function stampOf(target: string): string | undefined {
  const stat = lstatSync(join(target, MANIFEST), { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}
