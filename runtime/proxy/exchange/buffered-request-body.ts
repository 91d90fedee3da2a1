import type { ByteBudget } from "../../abi/buffered-bytes.js";
import type { BufferOutcome } from "../../abi/exchange.js";
import { type BodySink, dropBody } from "../../http/body-decoder.js";
import type { Framing } from "../../http/fields.js";
import type { BodyCapture } from "./body-capture.js";

/** What is asked of the message whose body is held; the wire's InboundRequest. */
export interface RequestBodySource {
  readonly head: { readonly framing: Framing };
  readonly finished: boolean;
  onAbort: (() => void) | undefined;
  readBody(sink: BodySink): void;
  pauseBody(): void;
  resumeBody(): void;
}

interface Cut {
  start: number;
  end: number;
  /** Left out of what goes upstream; otherwise only of what logs see. */
  upstream: boolean;
}

interface Wait {
  maxBytes: number;
  enough: (held: Buffer, ended: boolean) => boolean;
  settle: (outcome: BufferOutcome) => void;
}

const NOTHING = Buffer.alloc(0);
/** Part of the budget up to which requests may be held; the rest stays for filters of responses. */
const SHARE = 0.5;
/** Room of the first buffer; it doubles. */
const FIRST_ROOM = 4_096;

/**
 * Holds the beginning of a request body for an access phase, and then passes it on in front of the rest. At most `maxBytes`
 * and what the same read brought are held, in one buffer that counts against `buffered_body_bytes`; meanwhile the client is
 * not read from, so that a body of any length costs no more than that.
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
  /** Takes what still comes, once the access phase is over. */
  #sink: BodySink | undefined = undefined;
  /** The body has come to its end. */
  ended = false;

  constructor(source: RequestBodySource, budget: ByteBudget | undefined) {
    this.#source = source;
    this.#budget = budget;
  }

  /** Bytes that the upstream does not get. */
  get cutBytes(): number {
    let kept = 0;
    const cuts = this.#cuts.filter(({ upstream }) => upstream);
    if (cuts.length === 0) return 0;
    this.#each(cuts, (start, end) => {
      kept += end - start;
    });
    return this.#length - kept;
  }

  /** Reads on until `enough` says so, see `Exchange.bufferBody`. One caller at a time; a second one sees what the first held. */
  hold(maxBytes: number, enough: Wait["enough"]): Promise<BufferOutcome> {
    const source = this.#source;
    if (source.finished || this.#sink !== undefined) return Promise.resolve("gone");
    return new Promise((resolve) => {
      this.#wait = { maxBytes, enough, settle: resolve };
      source.onAbort = () => this.#settle("gone");
      if (this.#reading) this.#look();
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
    else this.#look();
  }

  end(trailers: string | undefined): void {
    this.ended = true;
    if (this.#sink !== undefined) {
      this.#sink.end(trailers);
      return;
    }
    this.#trailers = trailers;
    this.#look();
  }

  /** What stands there goes neither to a log nor, with `upstream`, to the upstream. */
  cut(start: number, end: number, upstream: boolean): void {
    const last = this.#cuts.at(-1);
    this.#cuts.push({ start, end, upstream });
    // Only where it is out of order: a body of many empty fields has a cut for each, and sorting every time is quadratic.
    if (last !== undefined && last.start > start) this.#cuts.sort((a, b) => a.start - b.start);
  }

  /** Gives what is held to a log, without what was cut. */
  keepIn(capture: BodyCapture): void {
    if (this.#sink === undefined)
      this.#each(this.#cuts, (start, end) => capture.add(this.#bytes, start, end));
  }

  /** Hands over what is held, then everything that comes. Once, after the access phase. */
  passTo(sink: BodySink): void {
    this.#sink = sink;
    const bytes = this.#bytes;
    const cuts = this.#cuts.filter(({ upstream }) => upstream);
    this.#each(cuts, (start, end) => sink.data(bytes, start, end));
    this.#release();
    if (this.ended) sink.end(this.#trailers);
    else sink.fed?.();
  }

  /** Nobody wants the body: what is held is forgotten, and what still comes is dropped. */
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

  #look(): void {
    const wait = this.#wait;
    if (wait === undefined) return;
    const { maxBytes, enough } = wait;
    const tooLong = this.#length > maxBytes;
    // Never more than `maxBytes`, so that what is found does not depend on how the bytes arrived.
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
