/** Failures within the window that open the breaker (captcha reference 5.7), and how long it stays open. */
const FAILURES = 5;
const WINDOW_MS = 10_000;
const OPEN_MS = 10_000;

/** "probe": the call tests whether the service is back. */
export type Permission = "closed" | "probe" | "open";

/** Saves a failed service the calls, and the clients the wait. */
export class CircuitBreaker {
  readonly #now: () => number;
  /** Ascending times. */
  #failures: number[] = [];
  #openUntil = 0;
  #isOpen = false;
  #probing = false;

  /** @param now monotonic time in ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A caller that gets "probe" must report its result. */
  ask(): Permission {
    if (!this.#isOpen) return "closed";
    if (this.#probing || this.#now() < this.#openUntil) return "open";
    this.#probing = true;
    return "probe";
  }

  /** @returns true if the verdict closed the breaker */
  succeeded(): boolean {
    const wasOpen = this.#isOpen;
    this.#failures = [];
    this.#isOpen = false;
    this.#probing = false;
    return wasOpen;
  }

  /** @returns true if the failure opened the breaker */
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
