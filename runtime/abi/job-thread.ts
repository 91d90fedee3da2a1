import { Worker } from "node:worker_threads";
import { messageOf } from "./error-message.js";

export interface Job<Asked, Said> {
  asked: Asked;
  /** Timeout of the first message, after which the thread is killed and the job has failed. */
  longestMs: number;
  /** Handles a message. @returns timeout in ms of the next one; undefined: the job is done */
  heard(said: Said): number | undefined;
  failed(reason: string): void;
}

export interface JobThreadOptions {
  module: URL;
  megabytes: number;
  /** Called if the thread ended by itself. */
  ended?: (reason: string) => void;
}

/** Maximum jobs that wait for the current one. */
const MAX_WAITING = 16;
/** Time without a job, after which the thread ends. */
const IDLE_MS = 60_000;

export class JobSlots {
  /** Message if there is no free slot. */
  readonly taken: string;
  #taken = 0;

  /** @param what "requests are being tried" */
  constructor(what: string) {
    this.taken = `${MAX_WAITING} ${what} already`;
  }

  /** @returns undefined if there is no free slot */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#taken > MAX_WAITING) return undefined;
    this.#taken += 1;
    try {
      return await work();
    } finally {
      this.#taken -= 1;
    }
  }
}

/** Does one job at a time, and is killed with one that does not end. Starts with the first job, ends when idle. */
export class JobThread<Asked, Said> {
  readonly #options: JobThreadOptions;
  readonly #jobs: Job<Asked, Said>[] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: JobThreadOptions) {
    this.#options = options;
  }

  add(job: Job<Asked, Said>): void {
    this.#jobs.push(job);
    if (this.#jobs.length === 1) this.#begin();
  }

  close(): void {
    this.#end();
    for (const job of this.#jobs.splice(0)) job.failed("the gateway is stopping");
  }

  #begin(): void {
    const [job] = this.#jobs;
    if (job === undefined) {
      this.#within(IDLE_MS, () => this.#end());
      this.#timer?.unref();
      return;
    }
    this.#worker ??= this.#start();
    this.#expect(job.longestMs);
    this.#worker.postMessage(job.asked);
  }

  #expect(milliseconds: number): void {
    this.#within(milliseconds, () => this.#fail(`no result within ${milliseconds / 1_000} s`));
  }

  #within(milliseconds: number, late: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(late, milliseconds);
  }

  #start(): Worker {
    const { module, megabytes, ended } = this.#options;
    const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: megabytes } });
    worker.unref();
    let reason = "the thread ended";
    worker.on("message", (said: Said) => {
      if (worker === this.#worker) this.#onReply(said);
    });
    worker.on("error", (error) => {
      reason = messageOf(error);
    });
    worker.on("exit", () => {
      if (worker !== this.#worker) return;
      ended?.(reason);
      this.#fail(reason);
    });
    return worker;
  }

  #onReply(said: Said): void {
    const more = this.#jobs[0]?.heard(said);
    if (more === undefined) this.#next();
    else this.#expect(more);
  }

  #fail(reason: string): void {
    this.#end();
    this.#jobs[0]?.failed(reason);
    this.#next();
  }

  #next(): void {
    this.#jobs.shift();
    this.#begin();
  }

  #end(): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}
