import type { ByteBudget } from "../../abi/buffered-bytes.js";
import type { CapturedBody } from "../../abi/log.js";
import { latin1 } from "../../abi/text/bytes.js";

/** Initial buffer size in bytes; it doubles. */
const FIRST_ROOM = 4_096;
/** Share of the budget for logs; the rest stays for filters, which reply 503 without it. */
const SHARE = 0.5;

/** Captures the first bytes of a passing body for logs; less if the budget is short: a log never costs a request. */
export class BodyCapture {
  /** Content-Encoding of the body, lower-case; "" for none. */
  coding = "";
  readonly #budget: ByteBudget | undefined;
  readonly #owners = new Map<object, number>();
  #maxBytes = 0;
  #size = 0;
  /** Body that arrived as one text, as most do. */
  #whole = "";
  /** Body of several pieces; one buffer, since a text of a thousand small pieces takes 32 bytes for each. */
  #pieces: Buffer | undefined = undefined;
  #keptBytes = 0;

  constructor(budget: ByteBudget | undefined) {
    this.#budget = budget;
  }

  /** True if nobody needs more of the body. */
  get full(): boolean {
    return this.#size >= this.#maxBytes;
  }

  want(owner: object, maxBytes: number): void {
    this.#owners.set(owner, maxBytes);
    this.#maxBytes = Math.max(this.#maxBytes, maxBytes);
  }

  /** Captures `buffer[start, end)` as far as needed; the bytes are copied. */
  add(buffer: Buffer, start: number, end: number): void {
    this.#size += end - start;
    const length = this.#reserve(end - start);
    if (length === 0) return;
    buffer.copy(this.#roomFor(length), this.#keptBytes, start, start + length);
    this.#keptBytes += length;
  }

  addText(text: string): void {
    this.#size += text.length;
    const length = this.#reserve(text.length);
    if (length === 0) return;
    const piece = length === text.length ? text : text.slice(0, length);
    if (this.#keptBytes === 0) this.#whole = piece;
    else this.#roomFor(length).write(piece, this.#keptBytes, "latin1");
    this.#keptBytes += length;
  }

  of(owner: object): CapturedBody | undefined {
    const maxBytes = this.#owners.get(owner);
    if (maxBytes === undefined) return undefined;
    const text =
      this.#pieces === undefined
        ? this.#whole.slice(0, maxBytes)
        : latin1(this.#pieces, 0, Math.min(this.#keptBytes, maxBytes));
    const budget = this.coding === "" ? undefined : this.#budget;
    return { text, coding: this.coding, size: this.#size, ...(budget && { budget }) };
  }

  restart(): void {
    this.#drop();
    this.#size = 0;
  }

  /** Frees the captured bytes and stops capturing. */
  release(): void {
    this.#drop();
    this.#maxBytes = 0;
  }

  #drop(): void {
    if (this.#budget !== undefined) this.#budget.bufferedBytes -= this.#keptBytes;
    this.#keptBytes = 0;
    this.#whole = "";
    this.#pieces = undefined;
  }

  #reserve(length: number): number {
    // After a gap nothing more is captured: a body with a hole is worse than one that ends early.
    if (this.#keptBytes + length !== this.#size) return 0;
    const room = Math.max(0, Math.min(length, this.#maxBytes - this.#keptBytes));
    const budget = this.#budget;
    if (budget === undefined) return room;
    const free = budget.limits.bufferedBodyBytes * SHARE - budget.bufferedBytes;
    const taken = Math.max(0, Math.min(room, Math.floor(free)));
    budget.bufferedBytes += taken;
    return taken;
  }

  #roomFor(length: number): Buffer {
    const needed = this.#keptBytes + length;
    const before = this.#pieces;
    if (before !== undefined && before.length >= needed) return before;
    const grown = Math.max(needed, Math.min(this.#maxBytes, Math.max(FIRST_ROOM, 2 * (before?.length ?? 0))));
    const pieces = Buffer.allocUnsafe(grown);
    if (before !== undefined) before.copy(pieces, 0, 0, this.#keptBytes);
    else pieces.write(this.#whole, 0, "latin1");
    this.#whole = "";
    this.#pieces = pieces;
    return pieces;
  }
}
