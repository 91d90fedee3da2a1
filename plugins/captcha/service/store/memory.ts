import { type CaptchaClock, type ClaimStore, StorageError } from "../contract.js";
import { ExpiryWheel } from "./expiry-wheel.js";
import type { EncryptedKeys } from "./key-records.js";

interface Entry {
  text: string;
  /** Monotonic ms. */
  expires: number;
  bucket: number;
}

/** Interval without requests; requests remove expired entries themselves. */
const SWEEP_MS = 5_000;

/** A full store rejects new strings and evicts none (W1). */
export class ExpiringTexts {
  readonly #entries = new Map<string, Entry>();
  readonly #wheel: ExpiryWheel;
  readonly #clock: CaptchaClock;
  readonly #limit: number;
  readonly #sweep: NodeJS.Timeout;
  readonly #left: (key: string) => void;

  /** @param left called with each key that expires */
  constructor(limit: number, clock: CaptchaClock, left: (key: string) => void = () => {}) {
    this.#limit = limit;
    this.#clock = clock;
    this.#left = left;
    this.#wheel = new ExpiryWheel(clock.monotonic());
    this.#sweep = setInterval(() => this.expire(), SWEEP_MS).unref();
  }

  get size(): number {
    this.expire();
    return this.#entries.size;
  }

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.expires <= this.#clock.monotonic() ? undefined : entry.text;
  }

  /** @throws StorageError if it is full */
  set(key: string, text: string, ttlMs: number): void {
    const now = this.expire();
    if (!this.remove(key) && this.#entries.size >= this.#limit) throw new StorageError("the store is full");
    const expires = now + ttlMs;
    this.#entries.set(key, { text, expires, bucket: this.#wheel.add(key, expires) });
  }

  /** @returns true if it existed */
  remove(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#wheel.remove(key, entry.bucket);
    return true;
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#entries.clear();
  }

  /** @returns monotonic time in ms */
  expire(): number {
    const now = this.#clock.monotonic();
    this.#wheel.expire(now, (key) => {
      this.#entries.delete(key);
      this.#left(key);
    });
    return now;
  }
}

/** A restart loses the claims and also the signing keys of this store (A23). */
export function memoryClaims(limit: number, clock: CaptchaClock): ClaimStore {
  const texts = new ExpiringTexts(limit, clock);
  return {
    async claim(id, ttlMs, value) {
      // Without an await between check and claim.
      const present = texts.get(id);
      if (present !== undefined) return { won: false, value: present };
      texts.set(id, value, ttlMs);
      return { won: true };
    },
    close: async () => texts.close(),
  };
}

export function memoryKeys(): EncryptedKeys {
  const keys = new Map<string, string>();
  return {
    losses: () => 0,
    all: async () => new Map(keys),
    put: async (kid, sealed) => void keys.set(kid, sealed),
    remove: async (kid) => void keys.delete(kid),
  };
}
