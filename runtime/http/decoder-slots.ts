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
