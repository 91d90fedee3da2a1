import { MAX_WINDOW, windowOf } from "./zstd-frames.js";

/** Bytes of text that a decoder keeps besides its output. */
export interface DecoderMemory {
  /** Text before the first output, by the first block: brotli gives none before its ring is full or input ends. */
  readonly first: number;
  /** Text made before the first output, for the whole body. */
  readonly ahead: number;
  /** Maximum text kept as a window for back references. */
  readonly most: number;
}

/** DEFLATE's window is 32 kB, less than the buffers of a connection. */
const NONE: DecoderMemory = { first: 0, ahead: 0, most: 0 };

/** Maximum bytes of brotli's header and of its first block's header: 7 + 1 + 1 + 2 + 24 bits. */
const BROTLI_HEADER = 5;
/** Magic number, descriptor and window. */
const ZSTD_HEADER = 6;

/** Number of first bytes that determine the decoder and its memory; no valid body is shorter. */
export function headerBytes(coding: string): number {
  if (coding === "br") return BROTLI_HEADER;
  return coding === "zstd" ? ZSTD_HEADER : 2;
}

/** @param first first bytes of the body, at least `headerBytes` unless it is shorter */
export function ringOf(coding: string, first: Buffer): DecoderMemory {
  if (coding === "br") return brotliRing(first);
  if (coding === "zstd") return { first: 0, ahead: 0, most: zstdWindow(first) };
  return NONE;
}

/** Maximum blocks that are read; any number of uncompressed ones may precede others. */
const MAX_BLOCKS = 16;

/**
 * Brotli's ring (RFC 7932 sections 9.1 and 9.2). A decoder makes all 16 MB of a block from 14 bytes, in 10 to
 * 200 ms, even if asked for 64 kB. The text limits the ring if the last block is among the first ones.
 */
function brotliRing(bytes: Buffer): DecoderMemory {
  const window = brotliWindow(bytes[0] ?? 0);
  const header = new Bits(bytes, brotliWindowBits(bytes[0] ?? 0));
  let first: number | undefined;
  let size = 0;
  for (let block = 0; block < MAX_BLOCKS && header.left >= 2; block++) {
    const isLast = header.take(1) === 1;
    if (isLast && header.take(1) === 1) return ringOfText(first ?? 0, size, window);
    const digits = 4 * (header.left < 2 ? 0 : header.take(2) + 4);
    // 7 digits mean metadata, which any other block may follow.
    if (digits === 0 || digits === 28 || header.left <= digits) break;
    const length = header.take(digits) + 1;
    size += length;
    first ??= Math.min(window, length);
    if (isLast) return ringOfText(first, size, window);
    if (header.take(1) === 0) break;
    header.skipBytes(length);
  }
  return { first: first ?? window, ahead: window, most: window };
}

function ringOfText(first: number, size: number, window: number): DecoderMemory {
  const most = Math.min(window, size);
  return { first, ahead: most, most };
}

/** Bits of a body, lowest bit of each byte first. */
class Bits {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get left(): number {
    return 8 * this.#bytes.length - this.#at;
  }

  take(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++, this.#at++)
      value += (((this.#bytes[this.#at >> 3] ?? 0) >> (this.#at & 7)) & 1) * 2 ** i;
    return value;
  }

  /** Skips bytes from the next byte boundary on. */
  skipBytes(count: number): void {
    this.#at = 8 * (Math.ceil(this.#at / 8) + count);
  }
}

/** Window size from 1, 4 or 7 bits (RFC 7932 section 9.1). */
function brotliWindow(bits: number): number {
  if ((bits & 1) === 0) return 1 << 16;
  const large = (bits >> 1) & 7;
  if (large !== 0) return 1 << (17 + large);
  const small = (bits >> 4) & 7;
  return small === 0 ? 1 << 17 : 1 << (8 + small);
}

function brotliWindowBits(bits: number): number {
  if ((bits & 1) === 0) return 1;
  return ((bits >> 1) & 7) !== 0 ? 4 : 7;
}

/** A single-segment frame has a content size instead (RFC 8878 section 3.1.1.1). */
function zstdWindow(first: Buffer): number {
  const single = ((first[4] ?? 0) & 0x20) !== 0;
  return single || first.length < 6 ? MAX_WINDOW : Math.min(MAX_WINDOW, windowOf(first[5] ?? 0));
}
