/** Places for work under way; who finds none waits for a while. */
export class WorkSlots {
  readonly #waitMs: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** @param waitMs milliseconds until whoever waits gives up */
  constructor(places: number, waitMs: number) {
    this.#free = places;
    this.#waitMs = waitMs;
  }

  /**
   * @param left ends the wait of who has gone
   * @returns false: there was none in time; otherwise the place has to be given back
   */
  async take(left: AbortSignal): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((settle) => {
      const end = (found: boolean) => {
        clearTimeout(timer);
        left.removeEventListener("abort", giveUp);
        this.#waiting.delete(taken);
        settle(found);
      };
      const taken = () => end(true);
      const giveUp = () => end(false);
      const timer = setTimeout(giveUp, this.#waitMs);
      left.addEventListener("abort", giveUp);
      this.#waiting.add(taken);
    });
  }

  /** Gives a place back; who waits longest has it next. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next();
  }
}
