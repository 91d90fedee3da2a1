import type { Clock } from "../../runtime/logging/batch/clock.js";

interface Due {
  at: number;
  action: () => void;
}

/** Clock that a test advances. */
export class SimulatedClock implements Clock {
  #now = 0;
  #due: Due[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, action: () => void): () => void {
    const due = { at: this.#now + ms, action };
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((one) => one !== due);
    };
  }

  /** Advances the clock by `ms`; due timers run in order, with the promises that they settle. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await flushPromises();
    for (;;) {
      const [next] = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.#now = Math.max(this.#now, next.at);
      next.action();
      await flushPromises();
    }
    this.#now = end;
  }
}

/** Runs the reactions of settled promises, and of those that they settle in turn. */
export async function flushPromises(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
