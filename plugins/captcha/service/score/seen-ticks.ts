/** About 12 MB. */
const MAX_TICKS = 100_000;
const KEPT_MS = 3_600_000;

/**
 * Detects replays in another session (A32), in memory of this process. Check and insert are one synchronous
 * step, so that of two at the same moment one is the replay. A tick is evidence, not a claim: the oldest is
 * evicted.
 */
export class SeenTicks {
  /** Oldest first. */
  readonly #ticks = new Map<string, { request: string; at: number }>();
  readonly #now: () => number;

  /** @param now monotonic time in ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A frame may send its own tick again if a response was lost. */
  isReplay(digest: string, request: string): boolean {
    const now = this.#now();
    const seen = this.#ticks.get(digest);
    if (seen !== undefined && now - seen.at < KEPT_MS) return seen.request !== request;
    this.#ticks.delete(digest);
    this.#ticks.set(digest, { request, at: now });
    for (const [oldest, { at }] of this.#ticks) {
      if (this.#ticks.size <= MAX_TICKS && now - at < KEPT_MS) break;
      this.#ticks.delete(oldest);
    }
    return false;
  }
}
