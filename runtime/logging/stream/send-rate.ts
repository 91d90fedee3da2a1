/** Bytes of the first batch: what a server at 1 kB/s reads within the timeout. */
const FIRST_BYTES = 4_096;
const MAX_BYTES = 4_194_304;
/** A batch that did not get through within its deadline, though nothing broke. */
export class TooSlowError extends Error {
  override readonly name = "TooSlowError";
}

/** A batch has as many bytes as the server takes in this time. */
const TARGET_MS = 4_000;
/** A batch is at most so many times as long as the one before. */
const GROWTH = 4;
/** How many times longer than the measured rate says a batch may take. */
const PATIENCE = 8;
/** A record of a megabyte at 1 kB/s takes 17 minutes. */
const LONGEST_MS = 3_600_000;

/**
 * How fast a server takes what it gets, as far as that was seen, and so how much it gets at once and how long it has for
 * it. A batch that fails is sent again, so that a server that is slow must get small ones: what is sent twice is then one of
 * them.
 */
export class SendRate {
  readonly #leastMs: number;
  #bytes: number;
  /** Bytes a millisecond; undefined until something was seen. */
  #rate: number | undefined = undefined;
  /** For what failed since the last success. */
  #factor = 1;

  /**
   * @param leastMs that every batch has
   * @param careful whether the first batches are small, since nothing is known of the server
   */
  constructor(leastMs: number, careful: boolean) {
    this.#leastMs = leastMs;
    this.#bytes = careful ? FIRST_BYTES : MAX_BYTES;
  }

  /** Bytes that the next batch should have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Milliseconds that a batch of so many bytes may take. */
  deadlineMs(bytes: number): number {
    const expected = this.#rate === undefined ? 0 : (bytes / this.#rate) * PATIENCE;
    return Math.min(LONGEST_MS, Math.max(this.#leastMs, expected) * this.#factor);
  }

  worked(bytes: number, ms: number): void {
    this.#factor = 1;
    const rate = bytes / Math.max(1, ms);
    // A batch far below what it may be says little of the rate, as its own costs outweigh it.
    const telling = bytes * 2 >= this.#bytes;
    this.#rate = telling ? rate : Math.max(rate, this.#rate ?? 0);
    if (telling) this.#bytes = Math.ceil(Math.min(rate * TARGET_MS, this.#bytes * GROWTH, MAX_BYTES));
  }

  /** A batch did not get through in time: the next one is smaller, and has more time. */
  late(bytes: number): void {
    this.#bytes = Math.max(1, Math.floor(Math.min(this.#bytes, bytes) / GROWTH));
    this.#factor = Math.min(this.#factor * 2, LONGEST_MS / this.#leastMs);
  }
}
