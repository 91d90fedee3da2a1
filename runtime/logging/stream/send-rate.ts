/** Bytes of the first batch: a server at 1 kB/s reads it within the timeout. */
const FIRST_BYTES = 4_096;
const MAX_BYTES = 4_194_304;
/** A batch that missed its deadline without a failure of the connection. */
export class TooSlowError extends Error {
  override readonly name = "TooSlowError";
}

/** Target duration of a batch in ms, at the measured rate. */
const TARGET_MS = 4_000;
/** Maximum growth from one batch to the next. */
const GROWTH = 4;
/** Maximum duration of a batch, as a multiple of the time that the measured rate gives. */
const PATIENCE = 8;
/** Maximum timeout in ms: a record of a megabyte at 1 kB/s takes 17 minutes. */
const LONGEST_MS = 3_600_000;

/** Measured speed of a server. A slow one receives small batches, since a failed batch is sent again. */
export class SendRate {
  readonly #leastMs: number;
  #bytes: number;
  /** Rate in bytes per ms; undefined before the first measurement. */
  #rate: number | undefined = undefined;
  /** Factor of the timeout, for failures since the last success. */
  #factor = 1;

  /** @param careful starts with small batches, because nothing is known of the server */
  constructor(leastMs: number, careful: boolean) {
    this.#leastMs = leastMs;
    this.#bytes = careful ? FIRST_BYTES : MAX_BYTES;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the timeout in ms of a batch with `bytes` bytes. */
  deadlineMs(bytes: number): number {
    const expected = this.#rate === undefined ? 0 : (bytes / this.#rate) * PATIENCE;
    return Math.min(LONGEST_MS, Math.max(this.#leastMs, expected) * this.#factor);
  }

  worked(bytes: number, ms: number): void {
    this.#factor = 1;
    const rate = bytes / Math.max(1, ms);
    // A batch far below the limit says little about the rate, because its fixed costs dominate.
    const telling = bytes * 2 >= this.#bytes;
    this.#rate = telling ? rate : Math.max(rate, this.#rate ?? 0);
    if (telling) this.#bytes = Math.ceil(Math.min(rate * TARGET_MS, this.#bytes * GROWTH, MAX_BYTES));
  }

  /** Records a batch that missed its deadline: the next one is smaller, and has more time. */
  late(bytes: number): void {
    this.#bytes = Math.max(1, Math.floor(Math.min(this.#bytes, bytes) / GROWTH));
    this.#factor = Math.min(this.#factor * 2, LONGEST_MS / this.#leastMs);
  }
}
