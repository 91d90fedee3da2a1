import type { Transform } from "node:stream";
import zlib, { type BrotliOptions, type ZlibOptions } from "node:zlib";
import type { BufferedBytes } from "../abi/buffered-bytes.js";
import { ringOf } from "./coding-window.js";
import { DecodedPieces, DecoderSlots } from "./decoder-memory.js";
import { CodingError, NoRoomError, OversizeError } from "./fault.js";
import { hasNativeZstd, ZstdFramesStream } from "./zstd-frames-stream.js";

/** Callbacks of a chain of coders; none follows `failed`. */
export interface CoderEvents {
  data(bytes: Buffer): void;
  /** `write` may continue. */
  drained(): void;
  ended(): void;
  failed(error: CodingError): void;
}

/** Bytes per step of output: the input of one filter call. */
const STEP = 65_536;
/** Buffers that one coder keeps for its input. */
const ROOMS = 2;
/** Largest ratio of text to coded size (bombs); text up to `RATIO_FLOOR` passes: JSON of zeros may shrink so far. */
export const MAX_RATIO = 200;
const RATIO_FLOOR = 1_048_576;
export const maxTextOf = (codedBytes: number): number => Math.max(RATIO_FLOOR, codedBytes * MAX_RATIO);
/**
 * Largest ratio of coded size to text: empty members, frames or blocks cost work. Encoders that flush after
 * each byte make eight of it; a zstd block gives no text before all of its 128 kB are read.
 */
const MAX_PADDING = 16;
const PADDING_FLOOR = 262_144;
export const isPadding = (codedBytes: number, text: number): boolean =>
  codedBytes > PADDING_FLOOR && codedBytes > text * MAX_PADDING;

const NOTHING = Buffer.alloc(0);
const ZLIB: ZlibOptions = { chunkSize: STEP };
/** Levels for streams: about as fast as nginx's defaults. Windows of 256 kB keep brotli's memory small. */
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = zlib.constants;
const BROTLI: BrotliOptions = {
  chunkSize: STEP,
  params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_LGWIN]: 18 },
};

type Open = (options: object) => Transform;
/** Exists in Node from 22.15 and 23.8 on, not in 20. */
const { createZstdCompress } = zlib as { createZstdCompress?: Open };

const DECODERS = new Map<string, (first: Buffer) => Transform>([
  ["gzip", () => zlib.createGunzip(ZLIB)],
  ["x-gzip", () => zlib.createGunzip(ZLIB)],
  ["deflate", (first) => (isZlib(first) ? zlib.createInflate(ZLIB) : zlib.createInflateRaw(ZLIB))],
  ["br", () => zlib.createBrotliDecompress({ chunkSize: STEP })],
  ...(hasNativeZstd ? [["zstd", () => new ZstdFramesStream()] as const] : []),
]);

const ENCODERS = new Map<string, () => Transform>([
  ["gzip", () => zlib.createGzip({ ...ZLIB, level: 4 })],
  ["x-gzip", () => zlib.createGzip({ ...ZLIB, level: 4 })],
  ["deflate", () => zlib.createDeflate({ ...ZLIB, level: 4 })],
  ["br", () => zlib.createBrotliCompress(BROTLI)],
  ...(createZstdCompress === undefined
    ? []
    : [["zstd", () => createZstdCompress({ chunkSize: STEP })] as const]),
]);

/** Detects the zlib format (RFC 9110 section 8.4.1.2); some servers send raw deflate, without a zlib header. */
export const isZlib = (body: Buffer): boolean =>
  (body[0] ?? 0) % 16 === 8 && ((body[0] ?? 0) * 256 + (body[1] ?? 0)) % 31 === 0;

/** Excludes nested codings, which are rare and therefore buffered. */
export const decodesInPieces = (coding: string): boolean => DECODERS.has(coding);

export const canEncode = (coding: string): boolean => ENCODERS.has(coding);

/** Encoder or decoder of one coding, in pieces, in zlib's threads. */
export class Coder {
  readonly #stream: Transform;
  readonly #rooms: Buffer[] = [];
  readonly #events: CoderEvents;
  /** Coding that is undone; undefined for an encoder. */
  readonly #undone: string | undefined;
  /** Bytes given to the coder, processed by it, and produced. */
  #written = 0;
  #worked = 0;
  #size = 0;
  #ended = false;

  private constructor(stream: Transform, what: string, events: CoderEvents, undoes: boolean) {
    this.#stream = stream;
    this.#events = events;
    this.#undone = undoes ? what : undefined;
    stream.on("data", (bytes: Buffer) => {
      if (this.#ended) return;
      this.#size += bytes.length;
      if (undoes && this.#size > maxTextOf(this.#written))
        this.#fail(`the body grows by more than ${MAX_RATIO} times when ${what} is decoded`);
      else events.data(bytes);
    });
    stream.on("drain", () => !this.#ended && events.drained());
    stream.on("end", () => !this.#ended && events.ended());
    stream.on("error", (error) =>
      this.#fail(error instanceof CodingError ? error.message : `the body is not valid ${what}`, error),
    );
  }

  #fail(message: string, cause?: unknown): void {
    if (this.#ended) return;
    this.destroy();
    this.#events.failed(new CodingError(message, cause));
  }

  /** Counts processed input; the output that it gave was reported before. */
  #done(bytes: number): void {
    this.#worked += bytes;
    if (this.#undone !== undefined && isPadding(this.#worked, this.#size))
      this.#fail(`the body shrinks to less than a ${MAX_PADDING}th when ${this.#undone} is decoded`);
  }

  /** @param first at least two bytes of the body, unless it is shorter */
  static decoder(coding: string, first: Buffer, events: CoderEvents): Coder {
    const open = DECODERS.get(coding);
    if (open === undefined) throw new RangeError(`no decoder for ${coding}`);
    return new Coder(open(first), coding, events, true);
  }

  static encoder(coding: string, events: CoderEvents): Coder {
    const open = ENCODERS.get(coding);
    if (open === undefined) throw new RangeError(`no encoder for ${coding}`);
    return new Coder(open(), coding, events, false);
  }

  /** Copies the bytes. @returns false if the caller must wait for `drained` */
  write(bytes: Buffer): boolean {
    const room = this.#roomFor(bytes.length);
    bytes.copy(room);
    return this.#give(room, bytes.length);
  }

  writeText(text: string): boolean {
    const room = this.#roomFor(text.length);
    room.write(text, "latin1");
    return this.#give(room, text.length);
  }

  /** Writes bytes that nobody changes, without a copy. */
  writeOwned(bytes: Buffer): void {
    this.#written += bytes.length;
    for (let at = 0; at < bytes.length && !this.#ended; at += STEP) {
      const part = bytes.subarray(at, at + STEP);
      this.#stream.write(part, () => this.#done(part.length));
    }
  }

  /** Reuses buffers: those that one body threw away made the process 30 MB larger before they were collected. */
  #roomFor(length: number): Buffer {
    const room = length <= STEP ? this.#rooms.pop() : undefined;
    return room ?? Buffer.allocUnsafeSlow(Math.max(length, STEP));
  }

  #give(room: Buffer, length: number): boolean {
    if (this.#ended) return true;
    this.#written += length;
    return this.#stream.write(room.subarray(0, length), () => {
      this.#done(length);
      if (room.length === STEP && this.#rooms.length < ROOMS) this.#rooms.push(room);
    });
  }

  end(): void {
    if (!this.#ended) this.#stream.end();
  }

  /** Emits the output for all input so far. */
  flush(): void {
    if (!this.#ended) (this.#stream as Transform & { flush?(): void }).flush?.();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  destroy(): void {
    this.#ended = true;
    this.#stream.destroy();
  }
}

export function encodeWhole(coding: string, text: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const coder = Coder.encoder(coding, {
      data: (bytes) => parts.push(bytes),
      drained: () => {},
      ended: () => resolve(Buffer.concat(parts)),
      failed: reject,
    });
    coder.writeOwned(text);
    coder.end();
  });
}

/** Slots for decoders of responses, which do not wait for those of logs. */
const places = new DecoderSlots();

/**
 * Undoes one coding of a buffered body without blocking the event loop.
 * @throws OversizeError if the text has more than `maxBytes`
 * @throws CodingError for a bomb, and for damaged or truncated bytes
 * @throws NoRoomError if the process buffers too many bodies
 */
export function decodeInPieces(
  coding: string,
  pieces: readonly Buffer[],
  maxBytes: number,
  held: BufferedBytes,
): Promise<Buffer[]> {
  const { ahead, most } = ringOf(coding, pieces[0] ?? NOTHING);
  const decode = async () => decodedPieces(coding, pieces, maxBytes, new DecodedPieces(held, STEP + ahead));
  return most === 0 ? decode() : places.in(decode);
}

async function decodedPieces(
  coding: string,
  pieces: readonly Buffer[],
  maxBytes: number,
  text: DecodedPieces,
): Promise<Buffer[]> {
  try {
    await new Promise<void>((resolve, reject) => {
      const coder = Coder.decoder(coding, pieces[0] ?? NOTHING, {
        data(bytes) {
          const hasRoom = text.add(bytes);
          if (hasRoom && text.size <= maxBytes) return;
          coder.destroy();
          reject(hasRoom ? new OversizeError(maxBytes) : new NoRoomError());
        },
        drained: () => {},
        ended: resolve,
        failed: reject,
      });
      for (const piece of pieces) coder.writeOwned(piece);
      coder.end();
    });
  } finally {
    text.over();
  }
  return text.pieces;
}
