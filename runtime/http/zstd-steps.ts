import { Decompress } from "fzstd";
import { CodingError, OversizeError } from "./fault.js";
import { type Frame, framesOf, MAX_BLOCK, withWindow } from "./zstd-frames.js";

/** Minimum text per step, unless its work is done before. */
const STEP_TEXT = 65_536;
/** Maximum blocks per step, including empty ones; each frame counts as one more. About a millisecond. */
export const STEP_BLOCKS = 64;
/** Maximum bytes that a step moves, unless a single block moves more. Two milliseconds. */
const STEP_MOVED = 16_777_216;
/** Maximum text per step: fzstd starts a frame with 18 bytes, which may be three blocks that repeat a byte. */
export const MAX_STEP_TEXT = STEP_TEXT + 3 * MAX_BLOCK;
/**
 * Bytes that the decoder may move for one body: it shifts the whole window for each block, which takes hours
 * for many tiny ones. 8 GB take about a second; 64 MB as nginx sends them need 1 GB.
 */
const MAX_MOVED = 8_589_934_592;

export interface ZstdBody {
  readonly bytes: Buffer;
  /** Maximum text in bytes. */
  readonly limit: number;
  /** True if the end of the body may be missing: decodes as much text as possible, about `limit` bytes. */
  readonly beginning: boolean;
}

/**
 * Counts work over all frames of the body. A step yields a piece of the text, which may be empty.
 * @returns true if nothing of the text is missing
 * @throws OversizeError if the text has more than `limit` bytes
 * @throws CodingError (or an error of the decoder) for bytes that are not intact zstd, or cost too much
 */
export function* zstdSteps({ bytes, limit, beginning }: ZstdBody): Generator<Buffer, boolean, undefined> {
  const frames = framesOf(bytes, beginning);
  const moved = frames.reduce((sum, frame) => sum + windowOf(frame) * (frame.blocks.length + 1), 0);
  if (moved > MAX_MOVED) throw new CodingError("the zstd body has too many blocks for its window");
  const step = new Step();
  for (const frame of frames) {
    const window = windowOf(frame);
    const coded = withWindow(frame, window);
    const decoder = new Decompress((part) => step.add(part));
    const last = frame.blocks.at(-1);
    let start = 0;
    step.work(window);
    for (const end of frame.blocks) {
      try {
        decoder.push(coded.subarray(start, end), !frame.cut && end === last);
      } catch (error) {
        if (!beginning || step.size === 0) throw error;
        yield step.take();
        return false;
      }
      start = end;
      step.work(window);
      if (step.size > limit) {
        if (!beginning) throw new OversizeError(limit);
        yield step.take();
        return false;
      }
      if (step.done) yield step.take();
    }
  }
  yield step.take();
  return !frames.some(({ cut }) => cut);
}

const windowOf = (frame: Frame) => Math.min(frame.window, frame.atMost);

/** Text and work since the last piece. */
class Step {
  /** Bytes of text so far, over all steps. */
  size = 0;
  #parts: Uint8Array[] = [];
  #text = 0;
  #blocks = 0;
  #moved = 0;

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#text += part.length;
    this.size += part.length;
  }

  work(moved: number): void {
    this.#blocks++;
    this.#moved += moved;
  }

  get done(): boolean {
    return this.#text >= STEP_TEXT || this.#blocks >= STEP_BLOCKS || this.#moved >= STEP_MOVED;
  }

  /** Returns the text in a new buffer, since it is transferred to another thread. */
  take(): Buffer {
    const piece = Buffer.allocUnsafeSlow(this.#text);
    let at = 0;
    for (const part of this.#parts) {
      piece.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#text = this.#blocks = this.#moved = 0;
    return piece;
  }
}
