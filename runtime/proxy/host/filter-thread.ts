import { Worker } from "node:worker_threads";
import { messageOf } from "../../abi/error-message.js";
import type { BodyFilter, ReplaceRule } from "../../abi/exchange.js";
import { type PortablePattern, portable } from "../../abi/text/linear.js";

export type FilterRules = Pick<BodyFilter, "maxBytes" | "oversize"> & { rules: readonly ReplaceRule[] };

/** Serialized rule: cloning a pattern would lose its engine. */
type PortableRule = Omit<ReplaceRule, "pattern"> & { pattern: PortablePattern };

export interface FilterJob {
  filters: (Omit<FilterRules, "rules"> & { rules: readonly PortableRule[] })[];
  /** Body, whose buffers are transferred. */
  pieces: Uint8Array[];
}

/** Filtered body, or the reason for a failure. */
export type FilterResult = { body: Uint8Array } | string;

/** Time limit for one body in ms. Then the thread is terminated, since nothing else stops a regular expression. */
const TIME_LIMIT = 10_000;

interface Waiting {
  job: FilterJob;
  settle(outcome: Buffer | string): void;
  reject(error: Error): void;
}

/**
 * Thread that filters buffered bodies which are too long for the event loop, one after another. It starts
 * with the first body; bodies are transferred without a copy.
 */
export class FilterThread {
  readonly #timeLimit: number;
  readonly #script: URL;
  readonly #waiting: Waiting[] = [];
  #worker: Worker | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #closed = false;

  constructor(timeLimit = TIME_LIMIT, script = new URL("./filter-work.js", import.meta.url)) {
    this.#timeLimit = timeLimit;
    this.#script = script;
  }

  /**
   * @returns the body, or the reason for a failure
   * @throws Error if the thread cannot start or was closed
   */
  async run(filters: readonly FilterRules[], pieces: readonly Buffer[]): Promise<Buffer | string> {
    if (this.#closed) throw new Error("the thread for filters is closed");
    const job = { filters: filters.map(plain), pieces: pieces.map(owned) };
    return new Promise((settle, reject) => {
      this.#waiting.push({ job, settle, reject });
      if (this.#waiting.length === 1) this.#begin();
    });
  }

  #begin(): void {
    const next = this.#waiting[0];
    if (next === undefined) return;
    this.#worker ??= this.#start();
    this.#timer = setTimeout(() => this.#timeUp(), this.#timeLimit);
    this.#worker.postMessage(
      next.job,
      next.job.pieces.map(({ buffer }) => buffer as ArrayBuffer),
    );
  }

  #start(): Worker {
    const worker = new Worker(this.#script);
    worker.on("message", (answer: FilterResult) => {
      this.#settled((next) =>
        next.settle(typeof answer === "string" ? answer : Buffer.from(answer.body.buffer as ArrayBuffer)),
      );
    });
    worker.on("error", (error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#settled((next) => next.reject(error instanceof Error ? error : new Error(String(error))));
    });
    worker.unref();
    return worker;
  }

  #timeUp(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    this.#settled((next) => next.settle("the filters took too long"));
  }

  #settled(tell: (next: Waiting) => void): void {
    clearTimeout(this.#timer);
    const next = this.#waiting.shift();
    if (next !== undefined) tell(next);
    this.#begin();
  }

  /** Terminates the thread; pending calls do not settle, and no thread starts again. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.length = 0;
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
  }
}

const plain = ({ rules, maxBytes, oversize }: FilterRules): FilterJob["filters"][number] => ({
  rules: rules.map(({ pattern, replacement, utf8 = false }) => ({
    pattern: portable(pattern),
    replacement,
    utf8,
  })),
  maxBytes,
  oversize,
});

/** Only whole buffers can be transferred; a piece of a pool is copied. */
const owned = (piece: Buffer): Uint8Array<ArrayBuffer> =>
  piece.byteLength === piece.buffer.byteLength && piece.buffer instanceof ArrayBuffer
    ? new Uint8Array(piece.buffer)
    : new Uint8Array(piece);

/** Reason for a text that is longer than V8's strings, 512 MB, or than the next filter accepts. */
export const TOO_LARGE = "a filter made the body too large";

/** V8 keeps the backtracking state of a regular expression on a stack of 64 MB. */
const OUT_OF_STACK = "a filter needs more stack for the body than available (64 MB for a regular expression)";

/** Returns the reason why a filter failed. V8 names the exceeded limit only in the message. */
export function filterFault(error: unknown): string {
  const message = messageOf(error);
  if (error instanceof RangeError && message.includes("call stack")) return OUT_OF_STACK;
  const isTooLong = error instanceof RangeError && message === "Invalid string length";
  if (isTooLong || (error as { code?: unknown } | null)?.code === "ERR_STRING_TOO_LONG") return TOO_LARGE;
  return `a filter failed: ${message}`;
}
