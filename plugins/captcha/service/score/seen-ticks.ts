/** Ticks that are remembered: about 12 MB. */
const MAX_TICKS = 100_000;
/** Milliseconds in which a tick that is repeated in another session is noticed (A32). */
const KEPT_MS = 3_600_000;

/**
 * Ticks of the last hour, to know those that are sent again in another session. Memory of this process, in one step without an
 * await, so of two at the very same moment one is the replay. When it is full the oldest leaves: it is evidence, not a claim.
 */
export class SeenTicks {
  /** Request and time of each, oldest first. */
  readonly #ticks = new Map<string, { request: string; at: number }>();
  readonly #now: () => number;

  /** @param now milliseconds that never jump */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a tick was there in another session. A frame that lost an answer may send its own again. */
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
