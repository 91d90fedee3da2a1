/** Growth of a counter within a time window, sampled now and then. The first value counts as old. */
export class GrownLately {
  readonly #windowMs: number;
  /** Growth at each sample, oldest first. */
  #grown: { at: number; more: number }[] = [];
  #last: number | undefined;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** @param now monotonic time in ms */
  look(count: number, now: number): void {
    // A smaller value means that a new process counts from 0.
    const more = this.#last === undefined ? 0 : count < this.#last ? count : count - this.#last;
    this.#last = count;
    if (more > 0) this.#grown.push({ at: now, more });
  }

  /** Returns the growth within the window, so that a past problem is not reported forever. */
  at(now: number): number {
    this.#grown = this.#grown.filter(({ at }) => now - at < this.#windowMs);
    return this.#grown.reduce((sum, { more }) => sum + more, 0);
  }
}
