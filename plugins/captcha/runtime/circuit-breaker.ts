/** Failures within this time that open the breaker (captcha reference 5.7), and for how long it stays open. */
const FAILURES = 5;
const WINDOW_MS = 10_000;
const OPEN_MS = 10_000;

/** Whether a call may be made; "probe": the one that finds out whether the service is back. */
export type Permission = "closed" | "probe" | "open";

/** Circuit breaker: spares a service that is down the calls, and the clients the waiting. */
export class CircuitBreaker {
  readonly #now: () => number;
  /** Moments of the last failures, ascending. */
  #failures: number[] = [];
  #openUntil = 0;
  #isOpen = false;
  #probing = false;

  /** @param now milliseconds that never jump */
  constructor(now: () => number) {
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whoever gets "probe" must tell how it went. */
  ask(): Permission {
    if (!this.#isOpen) return "closed";
    if (this.#probing || this.#now() < this.#openUntil) return "open";
    this.#probing = true;
    return "probe";
  }

  /** The service gave a verdict. True when that closed the breaker. */
  succeeded(): boolean {
    const wasOpen = this.#isOpen;
    this.#failures = [];
    this.#isOpen = false;
    this.#probing = false;
    return wasOpen;
  }

  /** No verdict. True when that opened the breaker. */
  failed(): boolean {
    const now = this.#now();
    this.#probing = false;
    if (this.#isOpen) {
      this.#openUntil = now + OPEN_MS;
      return false;
    }
    this.#failures = [...this.#failures.filter((at) => now - at < WINDOW_MS), now];
    if (this.#failures.length < FAILURES) return false;
    this.#failures = [];
    this.#isOpen = true;
    this.#openUntil = now + OPEN_MS;
    return true;
  }
}
