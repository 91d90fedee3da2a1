/** Decoders with a ring of their own that work at once; libuv has four threads for all of them. */
const MAX_AT_ONCE = 4;

/**
 * Places of decoders that keep megabytes: up to 16 for a body of 228 bytes, so 500 bodies at a time took 8 GB. Others wait, and
 * have no memory meanwhile.
 */
export class DecoderSlots {
  readonly #waiting: (() => void)[] = [];
  #free = MAX_AT_ONCE;

  /** Runs `decode` when a place is free, in the order of the calls. */
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
