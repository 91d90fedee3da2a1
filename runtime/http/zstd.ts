import zlib from "node:zlib";
import { Decompress } from "fzstd";
import { CodingError, OversizeError } from "./fault.js";
import { type Frame, framesOf, withWindow } from "./zstd-frames.js";

/** In Node from 22.15 and 23.8 on, not in 20. */
type NativeDecompress = (
  body: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, text: Buffer) => void,
) => void;
const native = (zlib as { zstdDecompress?: NativeDecompress }).zstdDecompress;

/** Milliseconds of decoding in JavaScript before other requests get their turn. */
const TURN = 4;
/**
 * Bytes that the JavaScript decoder may move: it shifts the whole window for each block, so many tiny blocks with a large
 * window would keep it busy for hours. 8 GB take about a second; 64 MB as nginx sends them need 1 GB.
 */
const MAX_MOVED = 8_589_934_592;

/**
 * @throws OversizeError when the text has more than `limit` bytes
 * @throws CodingError (or whatever the decoder throws) for bytes that are not intact zstd
 */
export async function decodeZstd(body: Buffer, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for (const frame of framesOf(body)) {
    const decode = native === undefined ? decodeInTurns : decodeNatively;
    const part = await decode(frame, limit - size);
    parts.push(part);
    size += part.length;
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, size);
}

function decodeNatively(frame: Frame, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    native?.(frame.bytes, { maxOutputLength: Math.max(1, limit) }, (error, text) => {
      if (error === null) return resolve(text);
      const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
      reject(tooLarge ? new OversizeError(limit) : error);
    }),
  );
}

/**
 * As much of the text as can be decoded, at most `maxBytes`, of a body whose end may be missing. `whole`: there is no more
 * in these bytes.
 * @throws CodingError (or whatever the decoder throws) when nothing can be decoded
 */
export async function zstdBeginning(
  body: Buffer,
  maxBytes: number,
): Promise<{ text: Buffer; whole: boolean }> {
  const parts: Buffer[] = [];
  let size = 0;
  let cut = false;
  for (const frame of framesOf(body, true)) {
    cut ||= frame.cut;
    const part = await decodeInTurns(frame, maxBytes + 1 - size, true);
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
  }
  return { text: Buffer.concat(parts, Math.min(size, maxBytes)), whole: !cut && size <= maxBytes };
}

/** In JavaScript, block by block. `beginning`: stops at `limit`, and at what is not intact. */
async function decodeInTurns(frame: Frame, limit: number, beginning = false): Promise<Buffer> {
  const window = Math.min(frame.window, frame.atMost);
  if (window * frame.blocks.length > MAX_MOVED)
    throw new CodingError("the zstd body has too many blocks for its window");
  const parts: Uint8Array[] = [];
  let size = 0;
  const decoder = new Decompress((part) => {
    size += part.length;
    if (size > limit && !beginning) throw new OversizeError(limit);
    parts.push(part);
  });
  const bytes = withWindow(frame, window);
  let start = 0;
  let turn = performance.now();
  for (const end of frame.blocks) {
    try {
      decoder.push(bytes.subarray(start, end), !frame.cut && end === frame.blocks.at(-1));
    } catch (error) {
      if (!beginning || size === 0) throw error;
      break;
    }
    if (beginning && size >= limit) break;
    start = end;
    if (performance.now() - turn > TURN) {
      await new Promise(setImmediate);
      turn = performance.now();
    }
  }
  return Buffer.concat(parts, size);
}
