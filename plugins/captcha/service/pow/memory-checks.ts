import { Worker } from "node:worker_threads";
import { builtFile, messageOf } from "../../../../runtime/abi/plugin-api.js";
import type { CaptchaParts, MemoryChecks } from "../contract.js";
import type { MemoryChallenge } from "../protocol.js";

type Size = Pick<MemoryChallenge, "kib" | "passes">;

/** One reply with the same id follows. */
export interface HashJob {
  id: number;
  salt: string;
  index: number;
  size: Size;
}
export interface HashAnswer {
  id: number;
  hash: string;
}

/** Hashes of about two seconds of a thread; more are rejected. */
const MAX_WAITING = 32;
/** Queue length from which on only necessary hashes should be requested. */
const BEHIND = MAX_WAITING / 2;
/** A hundred times the duration of a hash, in ms. */
const HANGS_MS = 10_000;

/** The queue is full, or the thread ended: a later retry may succeed. */
export class MemoryBusyError extends Error {}

interface Waiter {
  give(hash: string): void;
  fail(error: Error): void;
}

/** The thread starts with the first hash, which takes 65 ms and must not delay other requests. */
export class MemoryThread implements MemoryChecks {
  readonly #script: URL;
  readonly #report: CaptchaParts["report"];
  readonly #waiting = new Map<number, Waiter>();
  #thread: Worker | undefined;
  #id = 0;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param script default: the compiled file */
  constructor(
    report: CaptchaParts["report"],
    script = builtFile(new URL("./memory-thread.js", import.meta.url)),
  ) {
    this.#report = report;
    this.#script = script;
  }

  get isBehind(): boolean {
    return this.#waiting.size >= BEHIND;
  }

  hash(salt: string, index: number, { kib, passes }: Size): Promise<string> {
    if (this.#closed || this.#waiting.size >= MAX_WAITING)
      return Promise.reject(new MemoryBusyError("too many checks of memory-hard work"));
    const job: HashJob = { id: this.#id++, salt, index, size: { kib, passes } };
    return new Promise((give, fail) => {
      this.#waiting.set(job.id, { give, fail });
      this.#thread ??= this.#start();
      this.#thread.postMessage(job);
      this.#watchOver();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(this.#script, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
    });
    let reason = "it ended";
    thread.on("message", ({ id, hash }: HashAnswer) => {
      const waiter = this.#waiting.get(id);
      this.#waiting.delete(id);
      waiter?.give(hash);
      this.#watchOver();
    });
    thread.on("error", (error) => {
      reason = messageOf(error);
    });
    thread.on("exit", () => this.#ended(reason));
    thread.unref();
    return thread;
  }

  /** The next hash starts another thread. */
  #ended(reason: string): void {
    clearTimeout(this.#watch);
    this.#thread = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    if (!this.#closed) this.#report("captcha_memory_thread_ended", { reason, waiting: waiting.length });
    for (const { fail } of waiting) fail(new MemoryBusyError("the thread ended"));
  }

  #watchOver(): void {
    clearTimeout(this.#watch);
    if (this.#waiting.size === 0) return;
    this.#watch = setTimeout(() => void this.#thread?.terminate(), HANGS_MS);
    this.#watch.unref();
  }
}
