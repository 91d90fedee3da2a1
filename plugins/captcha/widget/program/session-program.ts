import type { ProgramAnswer, ProgramShown, Telemetry } from "../../service/protocol.js";
import type { WatchedProgram } from "../box/flow.js";
import { runProgram } from "./run.js";

type Sample = ProgramAnswer["samples"][number];

export interface SampleParts {
  /** Monotonic ms. */
  now(): number;
  after(ms: number, call: () => void): () => void;
  /** Pointer samples in the frame so far. */
  moves(): number;
}

/** Program with its samples, whose times count from its arrival. */
export class SessionProgram implements WatchedProgram {
  readonly #program: ProgramShown;
  readonly #parts: SampleParts;
  readonly #from: number;
  readonly #taken: Sample[] = [];
  #cancel: () => void = () => {};

  constructor(program: ProgramShown, parts: SampleParts) {
    this.#program = program;
    this.#parts = parts;
    this.#from = parts.now();
    this.#wait();
  }

  get left(): number {
    return this.#program.ttl_ms - this.#age;
  }

  answer(telemetry: Telemetry): ProgramAnswer {
    this.#cancel();
    // A page that was hidden has slow timers.
    while (this.#due <= this.#age) this.#taken.push(this.#sample());
    return runProgram(this.#program, [...this.#taken, this.#sample()], telemetry);
  }

  /** Time in ms since the program's arrival. */
  get #age(): number {
    return this.#parts.now() - this.#from;
  }

  get #due(): number {
    return this.#program.times[this.#taken.length] ?? Number.POSITIVE_INFINITY;
  }

  #wait(): void {
    if (this.#due === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#parts.after(Math.max(0, this.#due - this.#age), () => {
      // Clocks that resist fingerprinting may be a little before the time of the timer.
      this.#taken.push(this.#sample());
      this.#wait();
    });
  }

  #sample(): Sample {
    return [Math.round(this.#age), this.#parts.moves()];
  }
}
