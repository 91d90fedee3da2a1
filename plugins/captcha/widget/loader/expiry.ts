/** Clock of the page; tests inject another. */
export interface PageClock {
  /** Milliseconds that the user's clock setting does not touch. */
  monotonic(): number;
  /** Epoch milliseconds, right or wrong. */
  wall(): number;
  /** @returns what takes the call back */
  after(ms: number, call: () => void): () => void;
}

/**
 * Life of one token. Timers stop while a computer sleeps or a tab is frozen, so the page calls `check` whenever it comes back.
 * Monotonic clocks of some browsers stand still during sleep as well: the wall clock is a second witness for time that
 * passed, which a wrong setting does not matter for, as only its progress counts.
 */
export class Expiry {
  readonly #clock: PageClock;
  readonly #life: number;
  readonly #start: { monotonic: number; wall: number };
  readonly #expired: () => void;
  #cancel: () => void = () => {};
  #over = false;

  /** @param ttl milliseconds of life that the service gave */
  constructor(clock: PageClock, ttl: number, expired: () => void) {
    this.#clock = clock;
    this.#life = ttl;
    this.#start = { monotonic: clock.monotonic(), wall: clock.wall() };
    this.#expired = expired;
    this.check();
  }

  /** Tells the end when it has come, else waits for it. */
  check(): void {
    if (this.#over) return;
    this.#cancel();
    const passed = Math.max(
      this.#clock.monotonic() - this.#start.monotonic,
      this.#clock.wall() - this.#start.wall,
    );
    if (passed >= this.#life) {
      this.#over = true;
      this.#expired();
    } else this.#cancel = this.#clock.after(this.#life - passed, () => this.check());
  }

  stop(): void {
    this.#over = true;
    this.#cancel();
  }
}
