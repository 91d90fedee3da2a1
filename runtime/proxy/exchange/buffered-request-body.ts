import type { ByteBudget } from "../../abi/buffered-bytes.js";
import type { BufferOutcome } from "../../abi/exchange.js";
import { type BodySink, dropBody } from "../../http/body-decoder.js";
import type { InboundRequest } from "../../http/inbound-request.js";
import type { BodyCapture } from "./body-capture.js";

export type RequestBodySource = Pick<
  InboundRequest,
  "finished" | "onAbort" | "readBody" | "pauseBody" | "resumeBody"
>;

interface Cut {
  start: number;
  end: number;
  /** True to cut it from the upstream's body, too; otherwise only from logs. */
  upstream: boolean;
}

interface Wait {
  maxBytes: number;
  enough: (held: Buffer, ended: boolean) => boolean;
  settle: (outcome: BufferOutcome) => void;
}

const NOTHING = Buffer.alloc(0);
/** Share of the budget for request bodies; the rest stays for filters of responses. */
const SHARE = 0.5;
/** Initial buffer size in bytes; it doubles. */
const FIRST_ROOM = 4_096;

/**
 * Buffers the beginning of a request body for an access phase, then passes it on in front of the rest.
 * Buffers at most `maxBytes` plus the rest of the same read, in one buffer that counts against
 * `buffered_body_bytes`. Meanwhile it does not read from the client, so a body of any length costs no more.
 */
export class BufferedRequestBody implements BodySink {
  readonly #source: RequestBodySource;
  readonly #budget: ByteBudget | undefined;
  readonly #cuts: Cut[] = [];
  #bytes: Buffer = NOTHING;
  #length = 0;
  #trailers: string | undefined = undefined;
  #reading = false;
  #wait: Wait | undefined = undefined;
  #sink: BodySink | undefined = undefined;
  ended = false;

  constructor(source: RequestBodySource, budget: ByteBudget | undefined) {
    this.#source = source;
    this.#budget = budget;
  }

  get cutBytes(): number {
    let kept = 0;
    const cuts = this.#cuts.filter(({ upstream }) => upstream);
    if (cuts.length === 0) return 0;
    this.#each(cuts, (start, end) => {
      kept += end - start;
    });
    return this.#length - kept;
  }

  /** See `Exchange.bufferBody`. One caller at a time; a second one sees the bytes that the first buffered. */
  hold(maxBytes: number, enough: Wait["enough"]): Promise<BufferOutcome> {
    const source = this.#source;
    if (source.finished || this.#sink !== undefined) return Promise.resolve("gone");
    return new Promise((resolve) => {
      this.#wait = { maxBytes, enough, settle: resolve };
      source.onAbort = () => this.#settle("gone");
      if (this.#reading) this.#check();
      if (this.#wait === undefined) return;
      if (this.#reading) source.resumeBody();
      else {
        this.#reading = true;
        source.readBody(this);
      }
    });
  }

  data(buffer: Buffer, start: number, end: number): boolean {
    if (this.#sink !== undefined) return this.#sink.data(buffer, start, end);
    const length = end - start;
    if (this.#budget !== undefined) this.#budget.bufferedBytes += length;
    buffer.copy(this.#roomFor(length), this.#length, start, end);
    this.#length += length;
    return false;
  }

  fed(): void {
    if (this.#sink !== undefined) this.#sink.fed?.();
    else this.#check();
  }

  end(trailers: string | undefined): void {
    this.ended = true;
    if (this.#sink !== undefined) {
      this.#sink.end(trailers);
      return;
    }
    this.#trailers = trailers;
    this.#check();
  }

  cut(start: number, end: number, upstream: boolean): void {
    const last = this.#cuts.at(-1);
    this.#cuts.push({ start, end, upstream });
    // Sorts only if out of order: a cut for each of many empty fields would make it quadratic.
    if (last !== undefined && last.start > start) this.#cuts.sort((a, b) => a.start - b.start);
  }

  /** Captures the buffered bytes for a log, without cut ranges. */
  keepIn(capture: BodyCapture): void {
    if (this.#sink === undefined)
      this.#each(this.#cuts, (start, end) => capture.add(this.#bytes, start, end));
  }

  /** Passes on the buffered bytes, then the rest as it arrives. Called once, after the access phase. */
  passTo(sink: BodySink): void {
    this.#sink = sink;
    const bytes = this.#bytes;
    const cuts = this.#cuts.filter(({ upstream }) => upstream);
    this.#each(cuts, (start, end) => sink.data(bytes, start, end));
    this.#release();
    if (this.ended) sink.end(this.#trailers);
    else sink.fed?.();
  }

  /** Drops the buffered bytes and the rest of the body. */
  drop(): void {
    this.#release();
    this.#sink ??= dropBody;
  }

  #release(): void {
    if (this.#budget !== undefined) this.#budget.bufferedBytes -= this.#length;
    this.#bytes = NOTHING;
    this.#length = 0;
  }

  #each(cuts: readonly Cut[], use: (start: number, end: number) => void): void {
    let from = 0;
    for (const { start, end } of cuts) {
      if (start > from) use(from, start);
      from = Math.max(from, end);
    }
    if (this.#length > from) use(from, this.#length);
  }

  #check(): void {
    const wait = this.#wait;
    if (wait === undefined) return;
    const { maxBytes, enough } = wait;
    const tooLong = this.#length > maxBytes;
    // Never more than `maxBytes`, so that the result does not depend on how the bytes arrived.
    const seen = this.#bytes.subarray(0, Math.min(this.#length, maxBytes));
    if (this.#isFull()) this.#settle("room");
    else if (enough(seen, this.ended && !tooLong)) this.#settle("enough");
    else if (tooLong) this.#settle("limit");
    else if (this.ended) this.#settle("ended");
  }

  #isFull(): boolean {
    const budget = this.#budget;
    return budget !== undefined && budget.bufferedBytes > budget.limits.bufferedBodyBytes * SHARE;
  }

  #settle(outcome: BufferOutcome): void {
    const settle = this.#wait?.settle;
    this.#wait = undefined;
    this.#source.onAbort = undefined;
    if (!this.ended && outcome !== "gone") this.#source.pauseBody();
    settle?.(outcome);
  }

  #roomFor(length: number): Buffer {
    const needed = this.#length + length;
    if (this.#bytes.length >= needed) return this.#bytes;
    const grown = Buffer.allocUnsafe(Math.max(needed, FIRST_ROOM, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    return grown;
  }
}
