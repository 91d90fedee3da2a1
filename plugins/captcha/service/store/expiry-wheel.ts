/** Maximum delay of an expiry. */
const TICK_MS = 1_000;

/** One set a second, so that neither adding nor expiring scans all entries. */
export class ExpiryWheel {
  readonly #buckets = new Map<number, Set<string>>();
  #done: number;

  /** @param now monotonic time in ms, as in all calls */
  constructor(now: number) {
    this.#done = Math.floor(now / TICK_MS) - 1;
  }

  /** @returns the bucket, for `remove` */
  add(key: string, dueAt: number): number {
    const bucket = Math.max(Math.ceil(dueAt / TICK_MS), this.#done + 1);
    const keys = this.#buckets.get(bucket);
    if (keys === undefined) this.#buckets.set(bucket, new Set([key]));
    else keys.add(key);
    return bucket;
  }

  remove(key: string, bucket: number): void {
    const keys = this.#buckets.get(bucket);
    if (keys?.delete(key) && keys.size === 0) this.#buckets.delete(bucket);
  }

  expire(now: number, each: (key: string) => void): void {
    const last = Math.floor(now / TICK_MS);
    if (last <= this.#done) return;
    // After a long pause there are fewer buckets than seconds.
    const buckets =
      last - this.#done > this.#buckets.size
        ? [...this.#buckets.keys()].filter((bucket) => bucket <= last)
        : Array.from({ length: last - this.#done }, (_, i) => this.#done + 1 + i);
    this.#done = last;
    for (const bucket of buckets) {
      const keys = this.#buckets.get(bucket);
      this.#buckets.delete(bucket);
      for (const key of keys ?? []) each(key);
    }
  }
}
