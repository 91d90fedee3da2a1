import { createHmac } from "node:crypto";
import type { ClientAddress } from "../contract.js";
import { addressBytes, networkOf } from "../http/address.js";

const DAY_MS = 86_400_000;
/** Innermost first: prefixes of one subscriber, and of an operator's assignment (RIPE-690). */
const PREFIXES = { 4: [32, 24], 6: [64, 56, 48] } as const;

export interface Network {
  /** 128 bits of an HMAC of the prefix, with a key of one day (UTC). */
  name: string;
  /** Yesterday's name. */
  before: () => string;
  /** Number of enclosing networks. */
  depth: number;
}

/** Keys change daily, so that nobody can look back. Caches the last address. */
export class NetworkNames {
  readonly #secret: () => Buffer;
  readonly #keys = new Map<number, { secret: Buffer; key: Buffer }>();
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
      const depth = lengths.length - 1 - index;
      return { name: this.#name(prefix, day), before: () => this.#name(prefix, day - 1), depth };
    });
    this.#last = { text, day, secret, networks };
    return networks;
  }

  #name(prefix: string, day: number): string {
    const mac = createHmac("sha256", this.#key(day)).update(prefix, "latin1").digest();
    // A slice of the text would keep all of it in memory.
    return mac.subarray(0, 16).toString("base64url");
  }

  #key(day: number): Buffer {
    const secret = this.#secret();
    const known = this.#keys.get(day);
    if (known?.secret === secret) return known.key;
    const key = createHmac("sha256", secret).update(`price ${day}`).digest();
    for (const other of this.#keys.keys()) if (Math.abs(other - day) > 1) this.#keys.delete(other);
    this.#keys.set(day, { secret, key });
    return key;
  }
}
