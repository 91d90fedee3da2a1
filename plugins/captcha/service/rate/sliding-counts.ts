/** Resolution of the windows, which may be longer by up to this time, never shorter. */
const STEP_MS = 10_000;
const STEPS_PER_MINUTE = 60_000 / STEP_MS;
const STEPS_KEPT = 60 * STEPS_PER_MINUTE;

/** Alternating step and count, oldest first; steps without events take no memory. */
type Steps = number[];

/**
 * Events of the last 1, 10 and 60 minutes. The key with the oldest last event is evicted beyond the limit.
 * Counts are no claims: an eviction makes a visitor cheaper, never a token valid.
 */
export class SlidingCounts {
  /** Order of last event. */
  readonly #keys = new Map<string, Steps>();
  readonly #now: () => number;
  readonly #mostKeys: number;

  /** @param now monotonic time in ms */
  constructor(now: () => number, mostKeys: number) {
    this.#now = now;
    this.#mostKeys = mostKeys;
  }

  get size(): number {
    return this.#keys.size;
  }

  add(key: string): void {
    const step = this.#step();
    const steps = this.#keys.get(key) ?? [];
    this.#keys.delete(key);
    this.#keys.set(key, steps);
    const last = steps.length - 2;
    if (steps[last] === step) steps[last + 1] = (steps[last + 1] ?? 0) + 1;
    else steps.push(step, 1);
    while ((steps[0] ?? step) < step - STEPS_KEPT) steps.splice(0, 2);
    this.#forget(step);
  }

  count(key: string, minutes: 1 | 10 | 60): number {
    const steps = this.#keys.get(key);
    if (steps === undefined) return 0;
    const first = this.#step() - minutes * STEPS_PER_MINUTE;
    let sum = 0;
    for (let i = steps.length - 2; i >= 0 && (steps[i] ?? 0) >= first; i -= 2) sum += steps[i + 1] ?? 0;
    return sum;
  }

  #forget(now: number): void {
    for (const [key, steps] of this.#keys) {
      const idle = (steps.at(-2) ?? 0) < now - STEPS_KEPT;
      if (!idle && this.#keys.size <= this.#mostKeys) return;
      this.#keys.delete(key);
    }
  }

  #step(): number {
    return Math.floor(this.#now() / STEP_MS);
  }
}
