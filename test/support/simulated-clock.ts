import type { Clock } from "../../runtime/logging/batch/clock.js";

interface Due {
  at: number;
  action: () => void;
}

/** A clock that stands until it is told to go on. */
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

  /** Lets `ms` pass; what is due runs in its order, and the promises that it settles with it. */
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

/** Lets promises run that are settled already, and those that these settle. */
export async function flushPromises(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
