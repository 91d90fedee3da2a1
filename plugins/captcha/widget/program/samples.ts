import type { ProgramAnswer, ProgramShown } from "../../service/protocol.js";

type Sample = ProgramAnswer["samples"][number];

export interface SampleParts {
  /** Monotonic ms. */
  now(): number;
  after(ms: number, call: () => void): () => void;
  /** Pointer samples in the frame so far. */
  moves(): number;
}

/** Times of a program count from its arrival. */
export class Samples {
  readonly #parts: SampleParts;
  readonly #from: number;
  readonly #times: readonly number[];
  readonly #taken: Sample[] = [];
  #cancel: () => void = () => {};

  constructor({ times }: Pick<ProgramShown, "times">, parts: SampleParts) {
    this.#parts = parts;
    this.#times = times;
    this.#from = parts.now();
    this.#wait();
  }

  /** Time in ms since the program's arrival. */
  get age(): number {
    return this.#parts.now() - this.#from;
  }

  /** Samples up to now, and one of now. */
  take(): Sample[] {
    this.stop();
    // A page that was hidden has slow timers.
    while (this.#due() <= this.age) this.#add();
    return [...this.#taken, this.#sample()];
  }

  stop(): void {
    this.#cancel();
  }

  #due(): number {
    return this.#times[this.#taken.length] ?? Number.POSITIVE_INFINITY;
  }

  #wait(): void {
    const due = this.#due();
    if (due === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#parts.after(Math.max(0, due - this.age), () => {
      // Clocks that resist fingerprinting may be a little before the time of the timer.
      this.#add();
      this.#wait();
    });
  }

  #add(): void {
    this.#taken.push(this.#sample());
  }

  #sample(): Sample {
    return [Math.round(this.age), this.#parts.moves()];
  }
}
