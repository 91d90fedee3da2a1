import type { CapturedBody } from "../abi/log.js";
import { latin1 } from "../wire/latin1.js";

/** Keeps the first bytes of one body for those who asked, while it passes. */
export class BodyCapture {
  /** Content-Encoding of what passes, lower-case; "" when it has none. */
  coding = "";
  #size = 0;
  #text = "";
  #maxBytes = 0;
  readonly #owners = new Map<object, number>();

  want(owner: object, maxBytes: number): void {
    this.#owners.set(owner, maxBytes);
    this.#maxBytes = Math.max(this.#maxBytes, maxBytes);
  }

  /** Bytes `start` to `end` of `buffer` pass; what is kept of them is copied. */
  add(buffer: Buffer, start: number, end: number): void {
    const room = this.#maxBytes - this.#text.length;
    if (room > 0) this.#text += latin1(buffer, start, Math.min(end, start + room));
    this.#size += end - start;
  }

  addText(text: string): void {
    const room = this.#maxBytes - this.#text.length;
    if (room > 0) this.#text += text.length <= room ? text : text.slice(0, room);
    this.#size += text.length;
  }

  of(owner: object): CapturedBody | undefined {
    const maxBytes = this.#owners.get(owner);
    if (maxBytes === undefined) return undefined;
    return { text: this.#text.slice(0, maxBytes), coding: this.coding, size: this.#size };
  }
}
