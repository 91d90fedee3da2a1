import type { BufferedBytes } from "../abi/buffered-bytes.js";
import { NoRoomError } from "./fault.js";

/** Decoded pieces of a text. The decoder may make `ahead` bytes at a time, so the budget counts them in advance. */
export class DecodedPieces {
  readonly pieces: Buffer[] = [];
  size = 0;
  readonly #held: BufferedBytes | undefined;
  readonly #ahead: number;

  /** @throws NoRoomError if the process buffers too many bodies */
  constructor(held: BufferedBytes | undefined, ahead: number) {
    if (held?.take(ahead) === false) throw new NoRoomError();
    this.#held = held;
    this.#ahead = ahead;
  }

  /** @returns false if the budget has no room, so the piece was not kept */
  add(piece: Buffer): boolean {
    if (this.#held?.take(piece.length) === false) return false;
    this.pieces.push(piece);
    this.size += piece.length;
    return true;
  }

  /** Returns `ahead` to the budget: the decoder has ended. */
  over(): void {
    this.#held?.give(this.#ahead);
  }
}
