/** Questions that may run into their limit within a minute before the rest get a shorter one. */
const PATIENT = 5;
const MINUTE_MS = 60_000;
/** Nearly all questions are answered in 5-30 ms. */
const SHORT_MS = 100;

/**
 * How long the analyser may think: thousands of patterns that are too involved for it would otherwise take seconds each,
 * in a check or in the thread that every write waits for.
 */
export class Patience {
  readonly #now: () => number;
  #timeouts: number[] = [];

  /** @param now milliseconds that only grow */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  budget(wanted: number): number {
    const recent = this.#now() - MINUTE_MS;
    this.#timeouts = this.#timeouts.filter((at) => at > recent);
    return this.#timeouts.length < PATIENT ? wanted : Math.min(wanted, SHORT_MS);
  }

  /** The answer did not come in time. */
  ranOut(): void {
    if (this.#timeouts.length < PATIENT) this.#timeouts.push(this.#now());
  }
}
