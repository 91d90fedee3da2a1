/** Time slice of streamed bodies in ms. */
const TURN = 5;
/** Time slice in ms of work that prepares something, before requests continue. */
const PREPARING_MS = 4;

/** Work in steps of about a millisecond; the caller decides what runs between two steps. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Shared by all bodies, renewed each round of the event loop: libuv reads up to 32 times (2 MB) from one socket. */
export class TimeSlice {
  #spent = 0;
  #waiting: (() => void)[] | undefined = undefined;

  take<T>(work: () => T): T {
    const begin = performance.now();
    try {
      return work();
    } finally {
      this.#spent += performance.now() - begin;
      if (this.#waiting === undefined) this.#start();
    }
  }

  /** True if the slice is used up: stop, and continue in `next`. */
  get over(): boolean {
    return this.#spent > TURN;
  }

  /** Calls `then` after a round of the event loop, when time is left. */
  next(then: () => void): void {
    (this.#waiting ?? this.#start()).push(then);
  }

  #start(): (() => void)[] {
    const waiting: (() => void)[] = [];
    this.#waiting = waiting;
    setImmediate(() => {
      this.#spent = 0;
      this.#waiting = undefined;
      // The slice is shared by many bodies; those for which no time is left wait for the next one.
      let next = 0;
      while (next < waiting.length && !this.over) waiting[next++]?.();
      for (const then of waiting.slice(next)) this.next(then);
    });
    return waiting;
  }
}

export function runToCompletion<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  for (let turn = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - turn < PREPARING_MS) continue;
    await new Promise(setImmediate);
    turn = performance.now();
  }
}
