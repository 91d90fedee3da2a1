import zlib from "node:zlib";

const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = zlib.constants;

/**
 * Frames of zstd (RFC 8878 section 3.1.1): with an empty raw block, with a raw block of one byte, and a frame
 * that decoders skip.
 */
export const EMPTY_FRAME = Buffer.from("28b52ffd2000010000", "hex");
export const ONE_BYTE_FRAME = Buffer.from("28b52ffd200109000061", "hex");
export const SKIPPED_FRAME = Buffer.from("502a4d1800000000", "hex");

export const times = (count: number, bytes: Buffer): Buffer => Buffer.alloc(count * bytes.length, bytes);

/** One frame with a window of 2 MiB and `count` empty blocks before its last. */
export const emptyBlocks = (count: number): Buffer =>
  Buffer.concat([Buffer.from("28b52ffd0058", "hex"), Buffer.alloc(3 * count), Buffer.from("010000", "hex")]);

/** Bodies of about `bytes` bytes without any text: empty members, blocks or frames. */
export const WITHOUT_TEXT: readonly [coding: string, what: string, make: (bytes: number) => Buffer][] = [
  ["gzip", "members", (bytes) => times(Math.ceil(bytes / 20), zlib.gzipSync(""))],
  [
    "deflate",
    "blocks",
    (bytes) =>
      Buffer.concat([
        Buffer.from("789c", "hex"),
        times(Math.ceil(bytes / 5), Buffer.from("000000ffff", "hex")),
        Buffer.from("010000ffff00000001", "hex"),
      ]),
  ],
  // Metadata blocks that skip nothing (RFC 7932 section 9.2): each is padded to a byte.
  [
    "br",
    "metadata blocks",
    (bytes) => Buffer.concat([Buffer.from([0x0c]), Buffer.alloc(bytes, 0x06), Buffer.from([0x03])]),
  ],
  ["zstd", "frames", (bytes) => times(Math.ceil(bytes / EMPTY_FRAME.length), EMPTY_FRAME)],
  ["zstd", "skipped frames", (bytes) => times(Math.ceil(bytes / SKIPPED_FRAME.length), SKIPPED_FRAME)],
  ["zstd", "blocks", (bytes) => emptyBlocks(Math.ceil(bytes / 3))],
];

/** A text of `bytes` bytes that compresses, but not so well that it looks like a decompression bomb. */
export function textOf(bytes: number): Buffer {
  const line = (i: number) => `${((i * 2_654_435_761) >>> 0).toString(16)} and some words that come again\n`;
  const lines = Array.from({ length: Math.ceil(bytes / 36) }, (_, i) => line(i));
  return Buffer.from(lines.join("").slice(0, bytes));
}

/** Compresses with brotli and a window of 2 to the power of `bits` bytes. */
export const brotli = (text: Buffer, bits = 22): Buffer =>
  zlib.brotliCompressSync(text, { params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_LGWIN]: bits } });

/** Does the same, flushed after the text, as by a server that continues later. */
export async function flushedBrotli(text: Buffer): Promise<Buffer> {
  const coder = zlib.createBrotliCompress();
  coder.write(text);
  await new Promise<void>((resolve) => coder.flush(() => resolve()));
  return coder.read() as Buffer;
}

/** 16 MiB of zeros in one block of brotli. */
export const BROTLI_BOMB = Buffer.from("n////wAkAOKxQHLv/wE=", "base64");
