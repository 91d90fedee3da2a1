import type { BufferedBytes } from "../abi/buffered-bytes.js";
import { NoRoomError } from "./fault.js";

/**
 * Pieces of a text that is being decoded. The decoder may make `ahead` bytes at a time, which are counted in the budget before it
 * is asked for them.
 */
export class DecodedPieces {
  readonly pieces: Buffer[] = [];
  size = 0;
  readonly #held: BufferedBytes | undefined;
  readonly #ahead: number;

  /** @throws NoRoomError when the process holds too many bodies */
  constructor(held: BufferedBytes | undefined, ahead: number) {
    if (held?.take(ahead) === false) throw new NoRoomError();
    this.#held = held;
    this.#ahead = ahead;
  }

  /** False: there is no room for a next piece, and this one is not kept. */
  add(piece: Buffer): boolean {
    if (this.#held?.take(piece.length) === false) return false;
    this.pieces.push(piece);
    this.size += piece.length;
    return true;
  }

  /** The decoder makes no more. */
  over(): void {
    this.#held?.give(this.#ahead);
  }
}
