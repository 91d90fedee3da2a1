import { setTimeout as wait } from "node:timers/promises";
import { Deadlines, type Timed, within } from "../../runtime/http/deadlines.js";

const TICK_MS = 2;
/** Maximum step in ms, below the delay that `Deadlines` counts as a pause of the process. */
const MAX_STEP_MS = 500;

/** Deadlines of a gateway in this process, on a clock that the test advances. */
export class DeadlineClock {
  #now = 0;
  readonly deadlines = new Deadlines(TICK_MS, () => this.#now);

  now(): number {
    return this.#now;
  }

  /** Advances the clock by `ms`. Members whose deadline has passed are expired when it resolves. */
  async advance(ms: number): Promise<void> {
    for (const end = this.#now + ms; this.#now < end; ) {
      await this.#begun();
      this.#now = Math.min(end, this.#now + MAX_STEP_MS);
      while (this.deadlines.now < this.#now) await wait(1);
      // They expire in an immediate after the tick, and sockets are read between two immediates.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Resolves when all deadlines that are set by now have started; a tick starts them. */
  async #begun(): Promise<void> {
    const next: Timed = { deadline: within(1), expired: () => {} };
    this.deadlines.add(next);
    while (next.deadline < 0) await wait(1);
    this.deadlines.delete(next);
  }

  /**
   * Advances the clock in steps until `event` settles.
   * @returns its value
   */
  async advanceUntil<T>(event: Promise<T>, stepMs = 1_000): Promise<T> {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    event.then(settled, settled);
    while (!isSettled) await this.advance(stepMs);
    return event;
  }
}
