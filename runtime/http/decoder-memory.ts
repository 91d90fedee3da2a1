import type { BufferedBytes } from "../abi/buffered-bytes.js";
import { NoRoomError } from "./fault.js";

/** Decoded pieces of a text. The decoder may make `ahead` bytes at a time, so the budget counts them in advance. */
export class DecodedPieces {
  readonly pieces: Buffer[] = [];
  size = 0;
  readonly #held: BufferedBytes;
  readonly #ahead: number;

  /** @throws NoRoomError if the process buffers too many bodies */
  constructor(held: BufferedBytes, ahead: number) {
    if (!held.take(ahead)) throw new NoRoomError();
    this.#held = held;
    this.#ahead = ahead;
  }

  /** @returns false if the budget has no room, so the piece was not kept */
  add(piece: Buffer): boolean {
    if (!this.#held.take(piece.length)) return false;
    this.pieces.push(piece);
    this.size += piece.length;
    return true;
  }

  /** Returns `ahead` to the budget: the decoder has ended. */
  over(): void {
    this.#held.give(this.#ahead);
  }
}

/** Maximum decoders with a ring that run at the same time; libuv has four threads for all of them. */
const MAX_AT_ONCE = 4;

/** Decoders keep up to 16 MB for a body of 228 bytes, so 500 took 8 GB. Waiting ones have no memory. */
export class DecoderSlots {
  readonly #waiting: (() => void)[] = [];
  #free = MAX_AT_ONCE;

  /** Runs `decode` when a slot is free, in the order of the calls. */
  async in<T>(decode: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await decode();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
