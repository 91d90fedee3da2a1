export class WorkSlots {
  readonly #waitMs: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** @param waitMs timeout in ms of a queued caller */
  constructor(places: number, waitMs: number) {
    this.#free = places;
    this.#waitMs = waitMs;
  }

  /** Returns false on a timeout; otherwise the caller must return the slot. `left` aborts the wait. */
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

  /** Returns a slot; the caller that has waited longest gets it. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next();
  }
}
