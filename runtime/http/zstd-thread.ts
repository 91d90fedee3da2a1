import { Worker } from "node:worker_threads";
import type { BufferedBytes } from "../abi/buffered-bytes.js";
import { messageOf } from "../abi/error-message.js";
import { DecodedPieces } from "./decoded-pieces.js";
import { CodingError, NoRoomError, OversizeError } from "./fault.js";
import type { ZstdReply, ZstdRequest } from "./zstd-jobs.js";
import { MAX_STEP_TEXT, type ZstdBody } from "./zstd-steps.js";

/** Decoded text; `whole` is true if nothing is missing. */
export interface Decoded {
  readonly pieces: Buffer[];
  readonly whole: boolean;
}

interface Job {
  readonly body: ZstdBody;
  readonly held: BufferedBytes | undefined;
  text: DecodedPieces | undefined;
  readonly resolve: (decoded: Decoded) => void;
  readonly reject: (error: Error) => void;
}

/** Maximum bodies that take turns in the thread; others wait, without memory for their text. */
const MAX_RUNNING = 4;
/** Maximum time in ms without a message, after which the thread is terminated; a step takes a few ms. */
const MAX_SILENCE = 10_000;

/** Thread that decodes zstd where Node cannot, piece by piece; it continues when the budget has room. */
export class ZstdThread {
  readonly #script: URL;
  readonly #waiting: Job[] = [];
  readonly #running = new Map<number, Job>();
  #worker: Worker | undefined = undefined;
  #watch: NodeJS.Timeout | undefined = undefined;
  #lastId = 0;

  constructor(script = new URL("./zstd-work.js", import.meta.url)) {
    this.#script = script;
  }

  /**
   * @throws OversizeError, CodingError as `zstdSteps`
   * @throws NoRoomError if the process buffers too many bodies; a `beginning` ends there instead
   */
  decode(body: ZstdBody, held: BufferedBytes | undefined): Promise<Decoded> {
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
    const worker = new Worker(this.#script);
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
