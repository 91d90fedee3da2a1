import { type CaptchaClock, type ClaimStore, type StateStore, StorageError } from "../contract.js";
import { ExpiryWheel } from "./expiry-wheel.js";
import type { SealedKeys } from "./key-records.js";

interface Entry {
  text: string;
  /** Monotonic milliseconds. */
  expires: number;
  bucket: number;
}

/** Silence after which entries leave although nobody asks; between requests they leave as they come. */
const SWEEP_MS = 5_000;

/** Texts that live for a while. Full: the oldest spare one makes room; without any nothing new is taken, nothing is dropped (W1). */
export class ExpiringTexts {
  readonly #entries = new Map<string, Entry>();
  /** Keys of those that may go, the oldest first. */
  readonly #spare = new Set<string>();
  readonly #wheel: ExpiryWheel;
  readonly #clock: CaptchaClock;
  readonly #limit: number;
  readonly #sweep: NodeJS.Timeout;

  constructor(limit: number, clock: CaptchaClock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#wheel = new ExpiryWheel(clock.monotonic());
    this.#sweep = setInterval(() => this.#expire(), SWEEP_MS).unref();
  }

  get size(): number {
    this.#expire();
    return this.#entries.size;
  }

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.expires <= this.#clock.monotonic() ? undefined : entry.text;
  }

  /** @throws StorageError when it is full */
  set(key: string, text: string, ttlMs: number, spare = false): void {
    const now = this.#expire();
    if (!this.#remove(key) && this.#entries.size >= this.#limit) {
      const [oldest] = this.#spare;
      if (oldest === undefined) throw new StorageError("the store is full");
      this.#remove(oldest);
    }
    const expires = now + ttlMs;
    if (spare) this.#spare.add(key);
    this.#entries.set(key, { text, expires, bucket: this.#wheel.add(key, expires) });
  }

  take(key: string): string | undefined {
    const text = this.get(key);
    this.#remove(key);
    return text;
  }

  /** @returns whether it was there */
  #remove(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#forget(key);
    this.#wheel.remove(key, entry.bucket);
    return true;
  }

  #forget(key: string): void {
    this.#entries.delete(key);
    this.#spare.delete(key);
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#entries.clear();
    this.#spare.clear();
  }

  #expire(): number {
    const now = this.#clock.monotonic();
    this.#wheel.expire(now, (key) => this.#forget(key));
    return now;
  }
}

/** Claims of one process. What a restart forgets it makes worthless too: signing keys of this store die with it (A23). */
export function memoryClaims(limit: number, clock: CaptchaClock): ClaimStore {
  const texts = new ExpiringTexts(limit, clock);
  return {
    async claim(id, ttlMs, value) {
      // No await between looking and taking.
      const present = texts.get(id);
      if (present !== undefined) return { won: false, value: present };
      texts.set(id, value, ttlMs);
      return { won: true };
    },
    close: async () => texts.close(),
  };
}

/** Values are kept as JSON, so that nobody can change what another holds, and every store gives back the same. */
export function memoryStates(limit: number, clock: CaptchaClock): StateStore {
  const texts = new ExpiringTexts(limit, clock);
  const value = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));
  return {
    put: async (key, entry, ttlMs, spare) => texts.set(key, JSON.stringify(entry), ttlMs, spare),
    get: async (key) => value(texts.get(key)),
    take: async (key) => value(texts.take(key)),
    size: () => texts.size,
    close: async () => texts.close(),
  };
}

export function memoryKeys(): SealedKeys {
  const keys = new Map<string, string>();
  return {
    losses: () => 0,
    all: async () => new Map(keys),
    put: async (kid, sealed) => void keys.set(kid, sealed),
    remove: async (kid) => void keys.delete(kid),
  };
}
