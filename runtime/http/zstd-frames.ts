import { CodingError } from "./fault.js";

/** Frame with content (RFC 8878 section 3.1.1); its blocks are measured but not decoded. */
export interface Frame {
  /** From the magic number to the checksum. */
  bytes: Buffer;
  /** Bytes that back references of blocks may reach. */
  window: number;
  /** Ends of the blocks in bytes from the start of the frame; the last one includes the checksum. */
  blocks: number[];
  /** Upper bound of the frame's text in bytes. */
  atMost: number;
  /** True if the end of the frame is missing; `blocks` are the complete ones. */
  cut: boolean;
}

const MAGIC = 0xfd2fb528;
/** First of the 16 magic numbers of frames without content. */
const SKIPPABLE = 0x184d2a50;
/** Maximum window of 8 MiB: a recipient need not have more memory (RFC 9659). */
export const MAX_WINDOW = 8_388_608;
export const MAX_BLOCK = 131_072;
/**
 * Limits of one body: a frame or block takes 5 µs even if it is 9 or 3 bytes without text; 9 MB of them took
 * 20 s and 1.8 GB. nginx sends a block for each 4 kB or more, so 65,536 are enough for 256 MB.
 */
export const MAX_FRAMES = 16_384;
export const MAX_BLOCKS = 65_536;

/**
 * @param beginning true if the end of the body may be missing
 * @throws CodingError if the body is not whole frames, has too many frames or blocks, or needs a dictionary
 * or more than 8 MiB of window
 */
export function framesOf(body: Buffer, beginning = false): Frame[] {
  const frames: Frame[] = [];
  let count = 0;
  let blocks = 0;
  let at = 0;
  while (at < body.length) {
    if (++count > MAX_FRAMES) throw new CodingError(`the zstd body has more than ${MAX_FRAMES} frames`);
    if (at + 8 > body.length) {
      if (beginning && frames.length > 0) break;
      throw truncated();
    }
    const magic = body.readUInt32LE(at);
    if (magic === MAGIC) {
      const frame = frameAt(body, at, beginning, MAX_BLOCKS - blocks);
      blocks += frame.blocks.length;
      frames.push(frame);
      if (frame.cut) break;
      at += frame.bytes.length;
    } else if ((magic & ~0xf) >>> 0 === SKIPPABLE) {
      at += 8 + body.readUInt32LE(at + 4);
      if (at > body.length) throw truncated();
    } else throw new CodingError("the body is not zstd");
  }
  return frames;
}

function frameAt(body: Buffer, start: number, beginning: boolean, maxBlocks: number): Frame {
  const flags = body[start + 4] ?? 0;
  const single = (flags & 0x20) !== 0;
  if ((flags & 3) !== 0) throw new CodingError("the zstd body needs a dictionary");
  const sizeField = flags >> 6;
  const sizeBytes = sizeField === 0 ? (single ? 1 : 0) : 1 << sizeField;
  const sizeAt = start + (single ? 5 : 6);
  if (sizeAt + sizeBytes > body.length) throw truncated();
  const size =
    sizeBytes === 8
      ? Number(body.readBigUInt64LE(sizeAt))
      : sizeBytes === 0
        ? undefined
        : body.readUIntLE(sizeAt, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  const window = single ? (size ?? 0) : windowOf(body[start + 5] ?? 0);
  if (window > MAX_WINDOW) throw new CodingError("the zstd body needs a window above 8 MiB");
  const { ends, atMost, cut } = blocksAt(body, start, sizeAt + sizeBytes, window, {
    beginning,
    maxBlocks,
  });
  if (cut) return { bytes: body.subarray(start), window, blocks: ends, atMost, cut };
  // The decoder allocates the announced size, so it is accepted only if the blocks can fill it.
  if (size !== undefined && size > atMost) throw new CodingError("the zstd body declares a wrong size");
  const checksum = (flags & 4) !== 0 ? 4 : 0;
  const end = (ends.pop() ?? 0) + checksum;
  if (start + end > body.length && !beginning) throw truncated();
  ends.push(end);
  const bytes = body.subarray(start, start + end);
  return { bytes, window, blocks: ends, atMost, cut: bytes.length < end };
}

/** Window in bytes by its descriptor (RFC 8878 section 3.1.1.1.2). */
export function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function blocksAt(
  body: Buffer,
  start: number,
  first: number,
  window: number,
  { beginning, maxBlocks }: { beginning: boolean; maxBlocks: number },
): { ends: number[]; atMost: number; cut: boolean } {
  const ends: number[] = [];
  let atMost = 0;
  for (let at = first; ; ) {
    if (at + 3 > body.length) {
      if (beginning) return { ends, atMost, cut: true };
      throw truncated();
    }
    const header = body.readUIntLE(at, 3);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (type === 3 || size > MAX_BLOCK) throw new CodingError("the body is not valid zstd");
    at += 3 + (type === 1 ? 1 : size);
    if (at > body.length) {
      if (beginning) return { ends, atMost, cut: true };
      throw truncated();
    }
    atMost += type === 2 ? Math.min(MAX_BLOCK, window) : size;
    if (ends.push(at - start) > maxBlocks)
      throw new CodingError(`the zstd body has more than ${MAX_BLOCKS} blocks`);
    if ((header & 1) !== 0) return { ends, atMost, cut: false };
  }
}

/** An encoder that does not know the length announces 2 MiB for 1 kB; the decoder would clear and shift that much. */
export function withWindow(frame: Frame, window: number): Buffer {
  const single = ((frame.bytes[4] ?? 0) & 0x20) !== 0;
  if (single || window >= frame.window) return frame.bytes;
  const bytes = Buffer.from(frame.bytes);
  bytes[5] = Math.max(0, Math.ceil(Math.log2(window / 1024))) << 3;
  return bytes;
}

function truncated(): CodingError {
  return new CodingError("the zstd body is truncated");
}
