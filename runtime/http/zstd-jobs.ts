import { CodingError, OversizeError } from "./fault.js";
import { type ZstdBody, zstdSteps } from "./zstd-steps.js";

/** Message to the thread: start a body, continue after its last piece, or stop. */
export type ZstdRequest = { id: number } & (
  | { begin: Omit<ZstdBody, "bytes"> & { bytes: Uint8Array } }
  | { next: true }
  | { stop: true }
);

/** Message from the thread: a piece of the text, the end, or a fault. */
export type ZstdReply = { id: number } & (
  | { piece: Uint8Array }
  | { whole: boolean }
  | { fault: string; oversize: boolean }
);

/** Decoding time of one body in ms, without waiting for others. Limits of frames and blocks end it long before. */
const TIME_LIMIT = 10_000;

/** Thread side of `ZstdThread`: each message runs one step of one body, so that bodies take turns. */
export class ZstdJobs {
  readonly #answer: (answer: ZstdReply) => void;
  readonly #now: () => number;
  readonly #jobs = new Map<number, { steps: ReturnType<typeof zstdSteps>; spent: number }>();

  constructor(answer: (answer: ZstdReply) => void, now: () => number = () => performance.now()) {
    this.#answer = answer;
    this.#now = now;
  }

  asked(request: ZstdRequest): void {
    const { id } = request;
    if ("stop" in request) {
      this.#jobs.delete(id);
      return;
    }
    if ("begin" in request) {
      const { begin } = request;
      const bytes = Buffer.from(begin.bytes.buffer, begin.bytes.byteOffset, begin.bytes.byteLength);
      this.#jobs.set(id, { steps: zstdSteps({ ...begin, bytes }), spent: 0 });
    }
    this.#step(id);
  }

  #step(id: number): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    const start = this.#now();
    try {
      const { done, value } = job.steps.next();
      job.spent += this.#now() - start;
      if (job.spent > TIME_LIMIT) throw new CodingError("decoding the zstd body takes too long");
      if (done) this.#jobs.delete(id);
      this.#answer(done ? { id, whole: value } : { id, piece: value });
    } catch (error) {
      this.#jobs.delete(id);
      const fault = error instanceof CodingError ? error.message : "the body is not valid zstd";
      this.#answer({ id, fault, oversize: error instanceof OversizeError });
    }
  }
}
