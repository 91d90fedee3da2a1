import type { ByteBudget } from "../../abi/buffered-bytes.js";
import type { CapturedBody } from "../../abi/log.js";
import { latin1 } from "../../abi/text/bytes.js";

/** Room of the first buffer; it doubles. */
const FIRST_ROOM = 4_096;
/** Part of the budget that logs may take; the rest stays for filters, which answer 503 without it. */
const SHARE = 0.5;

/**
 * Keeps the first bytes of one body for those who asked, while it passes. When the process holds too much already, less
 * is kept than was asked for: a log never costs a request.
 */
export class BodyCapture {
  /** Content-Encoding of what passes, lower-case; "" when it has none. */
  coding = "";
  readonly #budget: ByteBudget | undefined;
  readonly #owners = new Map<object, number>();
  #maxBytes = 0;
  #size = 0;
  /** A body that came as one text, as most do. */
  #whole = "";
  /** A body of several pieces; one buffer, since a text of a thousand small pieces takes 32 bytes for each. */
  #pieces: Buffer | undefined = undefined;
  #kept = 0;

  constructor(budget: ByteBudget | undefined) {
    this.#budget = budget;
  }

  /** Nobody wants more of the body than has passed. */
  get full(): boolean {
    return this.#size >= this.#maxBytes;
  }

  want(owner: object, maxBytes: number): void {
    this.#owners.set(owner, maxBytes);
    this.#maxBytes = Math.max(this.#maxBytes, maxBytes);
  }

  /** Bytes `start` to `end` of `buffer` pass; what is kept of them is copied. */
  add(buffer: Buffer, start: number, end: number): void {
    this.#size += end - start;
    const length = this.#take(end - start);
    if (length === 0) return;
    buffer.copy(this.#roomFor(length), this.#kept, start, start + length);
    this.#kept += length;
  }

  addText(text: string): void {
    this.#size += text.length;
    const length = this.#take(text.length);
    if (length === 0) return;
    const piece = length === text.length ? text : text.slice(0, length);
    if (this.#kept === 0) this.#whole = piece;
    else this.#roomFor(length).write(piece, this.#kept, "latin1");
    this.#kept += length;
  }

  of(owner: object): CapturedBody | undefined {
    const maxBytes = this.#owners.get(owner);
    if (maxBytes === undefined) return undefined;
    const text =
      this.#pieces === undefined
        ? this.#whole.slice(0, maxBytes)
        : latin1(this.#pieces, 0, Math.min(this.#kept, maxBytes));
    const budget = this.coding === "" ? undefined : this.#budget;
    return { text, coding: this.coding, size: this.#size, ...(budget && { budget }) };
  }

  /** Another body passes instead of the one so far. */
  restart(): void {
    this.#drop();
    this.#size = 0;
  }

  /** Gives up what was kept; what still passes is not kept. */
  release(): void {
    this.#drop();
    this.#maxBytes = 0;
  }

  #drop(): void {
    if (this.#budget !== undefined) this.#budget.bufferedBytes -= this.#kept;
    this.#kept = 0;
    this.#whole = "";
    this.#pieces = undefined;
  }

  /** How many of `length` bytes are kept. */
  #take(length: number): number {
    // Once something was left out, nothing more is kept: a body with a hole would be worse than one that ends early.
    if (this.#kept + length !== this.#size) return 0;
    const room = Math.max(0, Math.min(length, this.#maxBytes - this.#kept));
    const budget = this.#budget;
    if (budget === undefined) return room;
    const free = budget.limits.bufferedBodyBytes * SHARE - budget.bufferedBytes;
    const taken = Math.max(0, Math.min(room, Math.floor(free)));
    budget.bufferedBytes += taken;
    return taken;
  }

  #roomFor(length: number): Buffer {
    const needed = this.#kept + length;
    const before = this.#pieces;
    if (before !== undefined && before.length >= needed) return before;
    const grown = Math.max(needed, Math.min(this.#maxBytes, Math.max(FIRST_ROOM, 2 * (before?.length ?? 0))));
    const pieces = Buffer.allocUnsafe(grown);
    if (before !== undefined) before.copy(pieces, 0, 0, this.#kept);
    else pieces.write(this.#whole, 0, "latin1");
    this.#whole = "";
    this.#pieces = pieces;
    return pieces;
  }
}
