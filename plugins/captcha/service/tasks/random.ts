/** At least 128 bits, which nobody can predict. */
export type Seed = Uint8Array;

/**
 * xoshiro128**: fast, for pixels, forms and programs, never for answers (reference 4.4). Without the 128 bits of the
 * seed nobody can tell the position of an image in the sequence.
 */
export class Random {
  readonly #state: Uint32Array;

  /** @param seed its first 16 bytes count, of which at least one is not zero */
  constructor(seed: Seed) {
    const view = new DataView(seed.buffer, seed.byteOffset, seed.byteLength);
    this.#state = Uint32Array.from({ length: 4 }, (_, i) => view.getUint32(i * 4));
    if (this.#state.every((word) => word === 0)) this.#state[0] = 1;
    // First numbers of similar seeds only differ enough after some rounds.
    for (let i = 0; i < 20; i++) this.word();
  }

  /** 0..2^32-1 */
  word(): number {
    const state = this.#state;
    const a = state[0] as number;
    const b = state[1] as number;
    const c = state[2] as number;
    const d = state[3] as number;
    const times5 = Math.imul(b, 5);
    const result = Math.imul((times5 << 7) | (times5 >>> 25), 9) >>> 0;
    const c1 = c ^ a;
    const d1 = d ^ b;
    state[1] = b ^ c1;
    state[0] = a ^ d1;
    state[2] = c1 ^ (b << 9);
    state[3] = (d1 << 11) | (d1 >>> 21);
    return result;
  }

  /** 0 <= x < 1 */
  float(): number {
    return this.word() / 4294967296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.float();
  }

  /** 0..below-1; the bias of at most 2^-25 does not matter. */
  integer(below: number): number {
    return Math.floor(this.float() * below);
  }

  /** Bounds are inclusive. */
  int(least: number, most: number): number {
    return least + this.integer(most - least + 1);
  }

  /** -1 or 1 */
  sign(): number {
    return this.float() < 0.5 ? -1 : 1;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(items.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      const at = copy[i] as T;
      copy[i] = copy[j] as T;
      copy[j] = at;
    }
    return copy;
  }
}
