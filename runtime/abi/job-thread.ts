import { Worker } from "node:worker_threads";
import { messageOf } from "./error-message.js";

/** What a thread is asked for, and what becomes of its answers. */
export interface Job<Asked, Said> {
  asked: Asked;
  /** Until the thread says something; then it is ended, and the job has failed. */
  longestMs: number;
  /** Takes what the thread says. @returns milliseconds until it has to say something again; undefined: the job is done */
  heard(said: Said): number | undefined;
  failed(reason: string): void;
}

export interface JobThreadOptions {
  /** Module of the thread; it gets what is asked as messages, one at a time. */
  module: URL;
  /** Of the thread's heap. */
  megabytes: number;
  /** The thread ended by itself. */
  ended?: (reason: string) => void;
}

/** Questions that wait for the one under way. */
const MAX_WAITING = 16;
/** Without a job for so long the thread ends. */
const IDLE_MS = 60_000;

/** Counts what is under way and what waits, so that there is an end to both. */
export class JobSlots {
  /** Why there is no place. */
  readonly taken: string;
  #held = 0;

  /** @param what they are and do: "requests are being tried" */
  constructor(what: string) {
    this.taken = `${MAX_WAITING} ${what} already`;
  }

  /** @returns undefined when there is no place */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#held > MAX_WAITING) return undefined;
    this.#held += 1;
    try {
      return await work();
    } finally {
      this.#held -= 1;
    }
  }
}

/** A thread that does one job at a time and is ended with the job that does not end. It is there while there are jobs, and a while longer. */
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
    for (const job of this.#jobs.splice(0)) job.failed("the gateway is about to stop");
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
    this.#within(milliseconds, () => this.#fail(`no answer within ${milliseconds / 1_000} s`));
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
      if (worker === this.#worker) this.#heard(said);
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

  #heard(said: Said): void {
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
