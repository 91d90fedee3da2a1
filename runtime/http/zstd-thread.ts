import { Worker } from "node:worker_threads";
import type { BufferedBytes } from "../abi/buffered-bytes.js";
import { messageOf } from "../abi/error-message.js";
import { DecodedPieces } from "./decoder-memory.js";
import { CodingError, NoRoomError, OversizeError } from "./fault.js";
import { MAX_STEP_TEXT, type ZstdBody, zstdSteps } from "./zstd-steps.js";

/** Decoded text; `whole` is true if nothing is missing. */
export interface Decoded {
  readonly pieces: Buffer[];
  readonly whole: boolean;
}

interface Job {
  readonly body: ZstdBody;
  readonly held: BufferedBytes;
  text: DecodedPieces | undefined;
  readonly resolve: (decoded: Decoded) => void;
  readonly reject: (error: Error) => void;
}

/** Maximum bodies that take turns in the thread; others wait, without memory for their text. */
const MAX_RUNNING = 4;
/** Maximum time in ms without a message, after which the thread is terminated; a step takes a few ms. */
const MAX_SILENCE = 10_000;

/** Thread that decodes zstd where Node cannot, piece by piece; it continues when the budget has room. */
class ZstdThread {
  readonly #waiting: Job[] = [];
  readonly #running = new Map<number, Job>();
  #worker: Worker | undefined = undefined;
  #watch: NodeJS.Timeout | undefined = undefined;
  #lastId = 0;

  /**
   * @throws OversizeError, CodingError as `zstdSteps`
   * @throws NoRoomError if the process buffers too many bodies; a `beginning` ends there instead
   */
  decode(body: ZstdBody, held: BufferedBytes): Promise<Decoded> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ body, held, text: undefined, resolve, reject });
      this.#fill();
    });
  }

  #fill(): void {
    while (this.#running.size < MAX_RUNNING) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      try {
        job.text = new DecodedPieces(job.held, MAX_STEP_TEXT);
        this.#begin(job);
      } catch (error) {
        job.text?.over();
        job.reject(error instanceof Error ? error : new Error(messageOf(error)));
      }
    }
  }

  #begin(job: Job): void {
    const { bytes, limit, beginning } = job.body;
    const copy = new Uint8Array(bytes);
    const worker = (this.#worker ??= this.#start());
    this.#running.set(++this.#lastId, job);
    this.#ask(worker, { id: this.#lastId, begin: { bytes: copy, limit, beginning } }, [copy.buffer]);
  }

  #ask(worker: Worker, request: ZstdRequest, handedOver: ArrayBuffer[] = []): void {
    worker.postMessage(request, handedOver);
    this.#watch ??= setTimeout(() => this.#broken("the decoder does not respond"), MAX_SILENCE);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./zstd-work.js", import.meta.url));
    worker.on("message", (answer: ZstdReply) => {
      if (worker === this.#worker) this.#answered(worker, answer);
    });
    worker.on("error", (error) => {
      if (worker === this.#worker) this.#broken(messageOf(error));
    });
    worker.unref();
    return worker;
  }

  #answered(worker: Worker, answer: ZstdReply): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
    const { id } = answer;
    const job = this.#running.get(id);
    const text = job?.text;
    if (job === undefined || text === undefined) return;
    if ("piece" in answer) {
      const { buffer } = answer.piece;
      if (text.add(Buffer.from(buffer as ArrayBuffer))) this.#ask(worker, { id, next: true });
      else {
        worker.postMessage({ id, stop: true } satisfies ZstdRequest);
        this.#end(id, job, job.body.beginning && text.size > 0 ? false : new NoRoomError());
      }
    } else if ("whole" in answer) this.#end(id, job, answer.whole);
    else
      this.#end(id, job, answer.oversize ? new OversizeError(job.body.limit) : new CodingError(answer.fault));
    if (this.#running.size > 0)
      this.#watch ??= setTimeout(() => this.#broken("the decoder does not respond"), MAX_SILENCE);
  }

  #end(id: number, { text, resolve, reject }: Job, outcome: boolean | Error): void {
    this.#running.delete(id);
    text?.over();
    if (outcome instanceof Error) reject(outcome);
    else resolve({ pieces: text?.pieces ?? [], whole: outcome });
    this.#fill();
  }

  #broken(reason: string): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    for (const [id, job] of [...this.#running]) this.#end(id, job, new CodingError(reason));
  }
}

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

/** Maximum coded bytes for a synchronous first step; most bodies of this length need no second one. */
const MAX_SYNC_BYTES = 6_144;

/** Logs have their own thread, so that responses do not wait for request bodies. */
const responses = new ZstdThread();
const logs = new ZstdThread();

/**
 * Decodes zstd where Node cannot: short bodies in one step, others in a thread.
 * @throws OversizeError if the text has more than `limit` bytes
 * @throws CodingError (or an error of the decoder) for bytes that are not intact zstd, or cost too much
 * @throws NoRoomError if the process buffers too many bodies
 */
export async function decodeZstd(body: ZstdBody, held: BufferedBytes): Promise<Decoded> {
  const decoded = body.bytes.length <= MAX_SYNC_BYTES ? inOneStep(body, held) : undefined;
  return decoded ?? (body.beginning ? logs : responses).decode(body, held);
}

/** @returns undefined if one step is not enough */
function inOneStep(body: ZstdBody, held: BufferedBytes): Decoded | undefined {
  const text = new DecodedPieces(held, MAX_STEP_TEXT);
  try {
    const steps = zstdSteps(body);
    const first = steps.next();
    if (first.done) return { pieces: text.pieces, whole: first.value };
    const end = steps.next();
    if (!end.done) return undefined;
    if (!text.add(first.value)) throw new NoRoomError();
    return { pieces: text.pieces, whole: end.value };
  } finally {
    text.over();
  }
}
