import type { CaptchaClock } from "../../plugins/captcha/service/contract.js";

/** Clock that only a test advances. */
export class ManualClock implements CaptchaClock {
  #now: number;
  #monotonic = 1_000;

  constructor(now = Date.UTC(2026, 5, 1, 12)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  advance(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }

  /** Clock of another node that is `ms` ahead. */
  ahead(ms: number): CaptchaClock {
    return { now: () => this.#now + ms, monotonic: () => this.#monotonic };
  }
}
