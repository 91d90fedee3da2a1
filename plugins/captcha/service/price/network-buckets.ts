import type { Allowance, PriceSettings } from "../contract.js";

const HOUR_MS = 3_600_000;

/** Stages that tokens are counted in, and what has a cap of its own beside them. */
const COUNTED = ["free", "work", "task", "audio", "patience"] as const;
export type Counted = (typeof COUNTED)[number];

/** What a network has taken of each, as it leaks away; in tokens. */
export type Fill = Record<Counted, number>;
interface Bucket extends Fill {
  /** Monotonic milliseconds to which it has leaked. */
  at: number;
}

/**
 * Leaky buckets of networks. Bounded: when it is full, the bucket that was used longest ago leaves. Counts are no claims: what leaves
 * makes a visitor cheaper, never a token good.
 */
export class NetworkBuckets {
  /** In order of their last use. After midnight one bucket stands under two names for a while. */
  readonly #buckets = new Map<string, Bucket>();
  readonly #settings: () => PriceSettings;
  readonly #now: () => number;

  /** @param now milliseconds that never jump */
  constructor(settings: () => PriceSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** What is in a bucket now; a network that nobody knows has an empty one, which takes no memory. */
  fill(name: string): Readonly<Fill> {
    const bucket = this.#buckets.get(name);
    return bucket === undefined ? EMPTY : this.#leaked(bucket);
  }

  has(name: string): boolean {
    return this.#buckets.has(name);
  }

  /** The bucket of one name also stands under another from now on. */
  rename(before: string, name: string): void {
    const bucket = this.#buckets.get(before);
    if (bucket !== undefined) this.#buckets.set(name, bucket);
  }

  /**
   * Adds tokens; a negative amount takes some away.
   * @param most what they may fill; who had room for one may be charged for more than one, and is above the burst for a while then
   */
  add(name: string, stage: Counted, tokens: number, most = Number.POSITIVE_INFINITY): void {
    const bucket = this.#leaked(this.#buckets.get(name) ?? { ...EMPTY, at: this.#now() });
    bucket[stage] = Math.max(0, Math.min(bucket[stage] + tokens, Math.max(most, bucket[stage])));
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= this.#settings().networks) break;
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

const EMPTY: Readonly<Fill> = { free: 0, work: 0, task: 0, audio: 0, patience: 0 };
/** Shares are no exact binary fractions: fifteen of 4/3 are twenty. */
export const EXACT = 1e-6;

/** Whether a bucket has room for so much more. */
export const hasRoom = ({ burst }: Allowance, fill: number, tokens: number): boolean =>
  fill + tokens <= burst + EXACT;

/** Milliseconds until it has. */
export const msToRoom = ({ burst, hourly }: Allowance, fill: number, tokens: number): number =>
  Math.ceil((Math.max(0, fill + tokens - burst - EXACT) / hourly) * HOUR_MS);
