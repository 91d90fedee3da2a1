/** Text that a decoder keeps beside what it gives, in bytes. */
export interface Ring {
  /** Made before any is given, as far as the first block tells; brotli gives none before its ring is full or its input ends. */
  readonly first: number;
  /** The same for the whole body. */
  readonly ahead: number;
  /** Kept at most, so that what follows may refer to it. */
  readonly most: number;
}

/** DEFLATE has 32 kB, less than the buffers of a connection. */
const NONE: Ring = { first: 0, ahead: 0, most: 0 };

/** Bits of brotli's header and of that of its first block, at most: 7 + 1 + 1 + 2 + 24. */
const BROTLI_HEADER = 5;
/** Magic number, descriptor, window. */
const ZSTD_HEADER = 6;

/** First bytes of a body by which its decoder is chosen and its ring is known; a text needs more in any case. */
export function headerBytes(coding: string): number {
  if (coding === "br") return BROTLI_HEADER;
  return coding === "zstd" ? ZSTD_HEADER : 2;
}

/** Reads what the decoder of a body will keep; `first`: its first bytes, `headerBytes` or more unless it has fewer. */
export function ringOf(coding: string, first: Buffer): Ring {
  if (coding === "br") return brotliRing(first);
  if (coding === "zstd") return { first: 0, ahead: 0, most: zstdWindow(first) };
  return NONE;
}

/** Blocks that are looked at; those of text that is not compressed may stand in any number before others. */
const MAX_BLOCKS = 16;

/**
 * RFC 7932 sections 9.1 and 9.2. A block of 16 MB fits into 14 bytes, and a decoder that is asked for 64 kB of it makes all of
 * them, in 10 to 200 ms. Its ring is no longer than the text, whose length is known where the last block is among the first ones.
 */
function brotliRing(bytes: Buffer): Ring {
  const window = brotliWindow(bytes[0] ?? 0);
  const header = new Bits(bytes, brotliWindowBits(bytes[0] ?? 0));
  let first: number | undefined;
  let size = 0;
  for (let block = 0; block < MAX_BLOCKS && header.left >= 2; block++) {
    const isLast = header.take(1) === 1;
    if (isLast && header.take(1) === 1) return ringOfText(first ?? 0, size, window);
    const digits = 4 * (header.left < 2 ? 0 : header.take(2) + 4);
    // 7 of them stand for metadata, behind which any other block may come.
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

function ringOfText(first: number, size: number, window: number): Ring {
  const most = Math.min(window, size);
  return { first, ahead: most, most };
}

/** Bits of a body, the lowest of each byte first. */
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

  /** From the next whole byte on. */
  skipBytes(count: number): void {
    this.#at = 8 * (Math.ceil(this.#at / 8) + count);
  }
}

/** RFC 7932 section 9.1: 1, 4 or 7 bits. */
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

/** RFC 9659: more than 8 MiB are refused. RFC 8878 section 3.1.1.1: a frame of one segment has no window, but its size. */
const MAX_ZSTD_WINDOW = 8_388_608;

function zstdWindow(first: Buffer): number {
  const single = ((first[4] ?? 0) & 0x20) !== 0;
  if (single || first.length < 6) return MAX_ZSTD_WINDOW;
  const descriptor = first[5] ?? 0;
  const base = 2 ** (10 + (descriptor >> 3));
  return Math.min(MAX_ZSTD_WINDOW, base + (base / 8) * (descriptor & 7));
}
