import { createHmac } from "node:crypto";

export interface ProgramOwner {
  session: string;
  site_key: string;
  hostname: string;
  /** Number of the session's program, from 1. */
  run: number;
}

/**
 * Seed that nobody without the secret can predict; the service only stores the number of the run. The input
 * is a JSON list, so that no two owners have the same text. Secret and result have 32 bytes.
 */
export const programSeed = (secret: Buffer, { session, site_key, hostname, run }: ProgramOwner): Buffer =>
  createHmac("sha256", secret)
    .update(JSON.stringify(["program", session, site_key, hostname, run]))
    .digest();

/** sfc32, which passes PractRand; only the seed must be unpredictable. */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  /** @param seed at least 16 bytes */
  constructor(seed: Buffer) {
    this.#a = seed.readInt32LE(0);
    this.#b = seed.readInt32LE(4);
    this.#c = seed.readInt32LE(8);
    this.#counter = seed.readInt32LE(12) | 1;
    for (let i = 0; i < 8; i++) this.word();
  }

  /** 32 bits, unsigned. */
  word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Bounds are inclusive. */
  int(least: number, most: number): number {
    return least + (this.word() % (most - least + 1));
  }

  pick<T>(of: readonly [T, ...T[]]): T {
    return of[this.int(0, of.length - 1)] ?? of[0];
  }

  shuffled<T>(items: readonly T[]): T[] {
    const all = [...items];
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [all[i], all[j]] = [all[j] as T, all[i] as T];
    }
    return all;
  }
}
