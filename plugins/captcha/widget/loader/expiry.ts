/** Tests inject another. */
export interface PageClock {
  /** Time in ms that the user's clock setting does not affect. */
  monotonic(): number;
  /** Epoch ms, right or wrong. */
  wall(): number;
  /** @returns function that cancels the call */
  after(ms: number, call: () => void): () => void;
}

/**
 * Timers stop while a computer sleeps or a tab is frozen, so the page calls `check` whenever it returns.
 * Monotonic clocks of some browsers stop during sleep as well, so the wall clock is a second measure of
 * elapsed time. A wrong setting does not matter, as only its progress counts.
 */
export class Expiry {
  readonly #clock: PageClock;
  readonly #life: number;
  readonly #start: { monotonic: number; wall: number };
  readonly #expired: () => void;
  #cancel: () => void = () => {};
  #stopped = false;

  /** @param ttl lifetime in ms from the service */
  constructor(clock: PageClock, ttl: number, expired: () => void) {
    this.#clock = clock;
    this.#life = ttl;
    this.#start = { monotonic: clock.monotonic(), wall: clock.wall() };
    this.#expired = expired;
    this.check();
  }

  check(): void {
    if (this.#stopped) return;
    this.#cancel();
    const passed = Math.max(
      this.#clock.monotonic() - this.#start.monotonic,
      this.#clock.wall() - this.#start.wall,
    );
    if (passed >= this.#life) {
      this.#stopped = true;
      this.#expired();
    } else this.#cancel = this.#clock.after(this.#life - passed, () => this.check());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}
