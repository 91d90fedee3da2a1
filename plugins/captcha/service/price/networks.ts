import type { ClientAddress } from "../contract.js";
import { addressBytes, networkOf } from "../http/address.js";
import { addressHash } from "../rate/prefix-rates.js";

const DAY_MS = 86_400_000;
/** Innermost first: prefixes of one subscriber, and of an operator's assignment (RIPE-690). */
const PREFIXES = { 4: [32, 24], 6: [64, 56, 48] } as const;

export interface Network {
  /** Pseudonym of its prefix, which changes daily. */
  name: string;
  /** Yesterday's name. */
  before: () => string;
  /** Number of enclosing networks. */
  depth: number;
}

/** Caches the last address. */
export class NetworkNames {
  readonly #secret: () => Buffer;
  #last: { text: string; day: number; secret: Buffer; networks: readonly Network[] } | undefined = undefined;

  /** @param secret "address", 32 bytes; read at each use, because the configuration can change it */
  constructor(secret: () => Buffer) {
    this.#secret = secret;
  }

  /** Innermost first. @param now epoch ms */
  of({ text, family }: ClientAddress, now: number): readonly Network[] {
    const day = Math.floor(now / DAY_MS);
    const secret = this.#secret();
    const last = this.#last;
    if (last?.text === text && last.day === day && last.secret === secret) return last.networks;
    const bytes = addressBytes(text) ?? [];
    const lengths = PREFIXES[family];
    const networks = lengths.map((bits, index) => {
      const prefix = networkOf(bytes, bits);
      const name = (time: number) => addressHash(secret, { text, family, prefix }, time);
      return { name: name(now), before: () => name(now - DAY_MS), depth: lengths.length - 1 - index };
    });
    this.#last = { text, day, secret, networks };
    return networks;
  }
}
