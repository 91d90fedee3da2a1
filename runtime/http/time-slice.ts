/** Milliseconds that bodies in pieces may take before everything else has its turn. */
const TURN = 5;

/**
 * The time that all bodies of a process together have taken since the event loop last went round. libuv reads up to 32
 * times from one socket in a row, so a fast upstream could hold the loop for 2 MB.
 */
export class TimeSlice {
  #spent = 0;
  #waiting: (() => void)[] | undefined = undefined;

  /** Runs a piece of work and counts its time. */
  take<T>(work: () => T): T {
    const begin = performance.now();
    try {
      return work();
    } finally {
      this.#spent += performance.now() - begin;
      if (this.#waiting === undefined) this.#start();
    }
  }

  /** Others have to have their turn first: stop, and go on in `next`. */
  get over(): boolean {
    return this.#spent > TURN;
  }

  /** Calls `then` when the event loop has gone round, and has time again. */
  next(then: () => void): void {
    (this.#waiting ?? this.#start()).push(then);
  }

  #start(): (() => void)[] {
    const waiting: (() => void)[] = [];
    this.#waiting = waiting;
    setImmediate(() => {
      this.#spent = 0;
      this.#waiting = undefined;
      // Each of many bodies may take a part of the turn: those for which nothing is left wait for the next.
      let next = 0;
      while (next < waiting.length && !this.over) waiting[next++]?.();
      for (const then of waiting.slice(next)) this.next(then);
    });
    return waiting;
  }
}
