import { foldedName } from "../abi/text/header-edits.js";
import { bad, WireFault } from "./fault.js";
import { isReservedTrailer } from "./field-names.js";
import type { Framing } from "./fields.js";
import type { Limits } from "./limits.js";

/** Receiver of one message's payload. Buffers are borrowed: they may be overwritten as soon as the call returns. */
export interface BodySink {
  /** @returns true if the sink still needs `buffer` for an asynchronous write; the reader then uses another buffer */
  data(buffer: Buffer, start: number, end: number): boolean;
  /** Called after all pieces of one read if the body continues, to send output that was joined. */
  fed?(): void;
  /** Called at the end of the body; `trailers` are checked lines, each ended by CRLF. */
  end(trailers: string | undefined): void;
}

export const dropBody: BodySink = { data: () => false, end: () => {} };

const TRAILERS = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
/**
 * Trailers that change how a message is read (RFC 9110 section 6.5.1), or who sent it: an upstream that
 * merges them would take the client's for the gateway's. Matched on folded names, so in every spelling.
 */
const UNSAFE_TRAILER =
  /^(?:content-length|transfer-encoding|host|connection|te|trailer|server|expect|upgrade|keep-alive|content-encoding|content-range|content-type|authorization|proxy(?:-.*)?|cookie|set-cookie|cache-control|max-forwards|forwarded|x-(?:forwarded|real|consumer)-.*|x-credential-identifier)$/;
const isUnsafe = (folded: string) => UNSAFE_TRAILER.test(folded) || isReservedTrailer(folded);

const SIZE = 0;
const EXTENSION = 1;
const SIZE_LF = 2;
const DATA = 3;
const DATA_CR = 4;
const DATA_LF = 5;
const TRAILER = 6;
const DONE = 7;

/** Reads one body by its framing and finds its end. */
export class BodyDecoder {
  readonly #limits: Limits;
  readonly #sink: BodySink;
  readonly #kind: Framing["kind"];
  /** Remaining bytes of the body or of the current chunk. */
  #left: number;
  #state = SIZE;
  #digits = 0;
  #extension = 0;
  #trailer = "";
  /** Payload bytes so far. */
  received = 0;
  /** True for responses: `bodyBytes` limits requests only. */
  unbounded = false;
  /** True if a sink kept the buffer of the last `feed`. */
  pinned = false;

  constructor(framing: Framing, limits: Limits, sink: BodySink) {
    this.#limits = limits;
    this.#sink = sink;
    this.#kind = framing.kind;
    this.#left = framing.kind === "length" ? framing.length : 0;
    if (framing.kind === "none" || (framing.kind === "length" && framing.length === 0)) this.#state = DONE;
  }

  get done(): boolean {
    return this.#state === DONE;
  }

  /** Remaining payload bytes; Infinity if the framing does not tell. */
  get remaining(): number {
    return this.#kind === "length" ? this.#left : this.#state === DONE ? 0 : Number.POSITIVE_INFINITY;
  }

  /** Ends a body without payload; called once, before any `feed`. */
  endEmpty(): void {
    this.#sink.end(undefined);
  }

  /** @returns true if the end of the connection frames this body */
  connectionEnded(): boolean {
    if (this.#kind !== "close" || this.#state === DONE) return false;
    this.#state = DONE;
    this.#sink.end(undefined);
    return true;
  }

  /** @returns the offset behind the consumed bytes, which is `end` until the body is complete */
  feed(buffer: Buffer, start: number, end: number): number | WireFault {
    this.pinned = false;
    const stopped = this.#feedPart(buffer, start, end);
    if (this.#state !== DONE) this.#sink.fed?.();
    return stopped;
  }

  #feedPart(buffer: Buffer, start: number, end: number): number | WireFault {
    if (this.#kind === "chunked") return this.#feedChunked(buffer, start, end);
    if (this.#kind === "close") return this.#deliver(buffer, start, end) ?? end;
    const stop = Math.min(end, start + this.#left);
    if (stop > start) {
      this.#left -= stop - start;
      const fault = this.#deliver(buffer, start, stop);
      if (fault) return fault;
    }
    if (this.#left === 0 && this.#state !== DONE) {
      this.#state = DONE;
      this.#sink.end(undefined);
    }
    return stop;
  }

  #deliver(buffer: Buffer, start: number, end: number): WireFault | undefined {
    this.received += end - start;
    const limit = this.#limits.bodyBytes;
    if (limit > 0 && this.received > limit && !this.unbounded)
      return new WireFault(413, `body above ${limit} bytes`);
    if (this.#sink.data(buffer, start, end)) this.pinned = true;
    return undefined;
  }

  #feedChunked(buffer: Buffer, start: number, end: number): number | WireFault {
    let position = start;
    while (position < end && this.#state !== DONE) {
      if (this.#state === DATA) {
        const stop = Math.min(end, position + this.#left);
        this.#left -= stop - position;
        const fault = this.#deliver(buffer, position, stop);
        if (fault) return fault;
        position = stop;
        if (this.#left === 0) this.#state = DATA_CR;
      } else {
        const fault = this.#framingByte(buffer[position] as number);
        if (fault) return fault;
        position++;
      }
    }
    return position;
  }

  #framingByte(byte: number): WireFault | undefined {
    switch (this.#state) {
      case SIZE:
        return this.#sizeByte(byte);
      case EXTENSION:
        if (byte === 13) this.#state = SIZE_LF;
        else if (byte < 32 && byte !== 9) return bad("control in a chunk extension");
        else if (++this.#extension > this.#limits.chunkExtensionBytes)
          return bad("chunk extensions too long");
        return undefined;
      case SIZE_LF:
        if (byte !== 10) return bad("bare CR after a chunk size");
        this.#digits = 0;
        this.#extension = 0;
        this.#state = this.#left === 0 ? TRAILER : DATA;
        return undefined;
      case DATA_CR:
        if (byte !== 13) return bad("chunk longer than its size");
        this.#state = DATA_LF;
        return undefined;
      case DATA_LF:
        if (byte !== 10) return bad("bare CR after a chunk");
        this.#state = SIZE;
        return undefined;
      default:
        return this.#trailerByte(byte);
    }
  }

  /** Reads hexadecimal digits only: no sign, no blank, no 0x (RFC 9112 section 7.1). */
  #sizeByte(byte: number): WireFault | undefined {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit;
      if (++this.#digits > 16 || this.#left > Number.MAX_SAFE_INTEGER) return bad("chunk size too large");
      return undefined;
    }
    if (this.#digits === 0) return bad("chunk without a size");
    if (byte === 13) this.#state = SIZE_LF;
    else if (byte === 59) this.#state = EXTENSION;
    else return bad("malformed chunk size");
    return undefined;
  }

  #trailerByte(byte: number): WireFault | undefined {
    this.#trailer += String.fromCharCode(byte);
    const text = this.#trailer;
    if (text.length > this.#limits.trailerBytes) return new WireFault(431, "trailers too long");
    if (byte !== 10 || (text !== "\r\n" && !text.endsWith("\r\n\r\n"))) return undefined;
    if (!TRAILERS.test(text)) return bad("malformed trailer");
    const lines = text
      .split("\r\n")
      .filter((line) => line !== "" && !isUnsafe(foldedName(line.slice(0, line.indexOf(":")))));
    this.#state = DONE;
    this.#sink.end(lines.length === 0 ? undefined : `${lines.join("\r\n")}\r\n`);
    return undefined;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
