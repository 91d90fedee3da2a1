import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import type { LinkTask } from "./link-thread.js";

/** Timeout in ms for the links. A slower file system is not worth the wait: the files are written instead. */
const PATIENCE_MS = 30_000;

/**
 * Second directory next to a build, with hard links to all of its files, made by a thread while the compiler
 * works. Linking 40,000 files, and removing the replaced links, takes a fifth of a build after one changed
 * value.
 */
export class LinkedCopy {
  readonly path: string;
  /** Path to which `replaceDirectory` moves the replaced directory. */
  readonly previous: string;
  readonly #target: string;
  readonly #stamp: string | undefined;
  readonly #state = new Int32Array(new SharedArrayBuffer(8));
  readonly #ended: Promise<unknown>;
  #isTaken = false;

  /** @param target directory that `gwc build` wrote */
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
      // After an error the files are written as usual: the build does not depend on the thread.
      worker.once("error", resolve);
    });
  }

  /**
   * Waits for the links and hands over the copy.
   * @returns true if all links exist and lead to the build that is in the target now; false at the second
   * call
   */
  take(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    Atomics.wait(this.#state, 0, 0, PATIENCE_MS);
    return Atomics.load(this.#state, 0) === 1 && stampOf(this.#target) === this.#stamp;
  }

  /** Lets the thread remove the rest: the replaced directory, or the copy if it was not used. */
  leave(): void {
    Atomics.store(this.#state, 1, 1);
    Atomics.notify(this.#state, 1);
  }

  /** Resolves when the rest is removed. */
  async end(): Promise<void> {
    this.leave();
    await this.#ended;
  }
}

/** Stamp that changes with each build that writes anything. */
function stampOf(target: string): string | undefined {
  const stat = lstatSync(join(target, MANIFEST), { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}
