import type { Allowance, PriceSettings } from "../contract.js";

const HOUR_MS = 3_600_000;

/** Stages of tokens, the scarce ways with limits of their own, and all tokens of a site key. */
const COUNTED = ["free", "work", "task", "audio", "patience", "site"] as const;
export type Counted = (typeof COUNTED)[number];

export type Fill = Record<Counted, number>;
interface Bucket extends Fill {
  /** Monotonic, in ms. */
  at: number;
}

/** Leaky buckets of networks, or of site keys. Evicts the least recently used: that makes a visitor cheaper, never a token valid. */
export class LeakyBuckets {
  /** Order of last use. After midnight one bucket has two names for a while. */
  readonly #buckets = new Map<string, Bucket>();
  readonly #settings: () => PriceSettings;
  readonly #now: () => number;
  readonly #most: () => number;

  /** @param now monotonic time in ms @param most number of buckets; default: any */
  constructor(
    settings: () => PriceSettings,
    now: () => number,
    most: () => number = () => Number.POSITIVE_INFINITY,
  ) {
    this.#settings = settings;
    this.#now = now;
    this.#most = most;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** An unknown name has an empty bucket, which takes no memory. */
  fill(name: string): Readonly<Fill> {
    const bucket = this.#buckets.get(name);
    return bucket === undefined ? EMPTY : this.#leaked(bucket);
  }

  has(name: string): boolean {
    return this.#buckets.has(name);
  }

  rename(before: string, name: string): void {
    const bucket = this.#buckets.get(before);
    if (bucket !== undefined) this.#buckets.set(name, bucket);
  }

  /** A negative amount removes tokens. @param most a charge above the room may exceed the burst for a while */
  add(name: string, stage: Counted, tokens: number, most = Number.POSITIVE_INFINITY): void {
    const bucket = this.#leaked(this.#buckets.get(name) ?? { ...EMPTY, at: this.#now() });
    bucket[stage] = Math.max(0, Math.min(bucket[stage] + tokens, Math.max(most, bucket[stage])));
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= this.#most()) break;
      this.#buckets.delete(oldest);
    }
  }

  #leaked(bucket: Bucket): Bucket {
    const now = this.#now();
    const hours = (now - bucket.at) / HOUR_MS;
    const settings = this.#settings();
    for (const stage of COUNTED) bucket[stage] = Math.max(0, bucket[stage] - settings[stage].hourly * hours);
    bucket.at = now;
    return bucket;
  }
}

const EMPTY: Readonly<Fill> = { free: 0, work: 0, task: 0, audio: 0, patience: 0, site: 0 };
/** Shares are no exact binary fractions: fifteen of 4/3 are twenty. */
export const EXACT = 1e-6;

export const hasRoom = ({ burst }: Allowance, fill: number, tokens: number): boolean =>
  fill + tokens <= burst + EXACT;

export const msToRoom = ({ burst, hourly }: Allowance, fill: number, tokens: number): number =>
  Math.ceil((Math.max(0, fill + tokens - burst - EXACT) / hourly) * HOUR_MS);
