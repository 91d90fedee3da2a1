/** How much a count has grown within a window, of looks at it now and then. What it was at the first is of before. */
export class GrownLately {
  readonly #windowMs: number;
  /** Growth at each look, the oldest first. */
  #grown: { at: number; more: number }[] = [];
  #last: number | undefined;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** @param now milliseconds that never jump */
  look(count: number, now: number): void {
    // Fewer than before: a new process counts anew.
    const more = this.#last === undefined ? 0 : count < this.#last ? count : count - this.#last;
    this.#last = count;
    if (more > 0) this.#grown.push({ at: now, more });
  }

  /** Growth within the window: a fault that is over is not told for ever. */
  at(now: number): number {
    this.#grown = this.#grown.filter(({ at }) => now - at < this.#windowMs);
    return this.#grown.reduce((sum, { more }) => sum + more, 0);
  }
}
