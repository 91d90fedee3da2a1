import type { Readable } from "node:stream";

/** Between two pulses of a child. */
export const PULSE_MS = 500;
const LOOK_MS = 250;
/** Silence after which a child is taken for stopped. */
const SILENCE_MS = 2_000;
/** A child that would run and gets no processor has so many times as long: to replace it would only load the machine more. */
export const STARVED_FACTOR = 5;
/** Until the first pulse: Node starts in 0.1 s, and in many seconds on a machine that swaps. */
const START_MS = 60_000;

/**
 * Watches from outside that a child lives: a process that is stopped (SIGSTOP, a debugger, a frozen container) is not
 * ended by its own watchdog. Counts its own looks instead of reading a clock, so that a host that was frozen, or an observer that was
 * stopped itself, does not take all of its children for dead when it goes on.
 */
export class PulseWatch {
  #looks = 0;
  #limit = START_MS / LOOK_MS;
  readonly #timer: NodeJS.Timeout;

  /**
   * @param silent is told once, with the milliseconds of silence
   * @param starved whether the child waits for a processor
   */
  constructor(pulses: Readable, silent: (ms: number) => void, starved: () => boolean) {
    pulses.on("data", () => {
      this.#looks = 0;
      this.#limit = SILENCE_MS / LOOK_MS;
    });
    pulses.on("error", () => {});
    this.#timer = setInterval(() => {
      this.#looks += 1;
      if (this.#looks < this.#limit) return;
      if (this.#looks < this.#limit * STARVED_FACTOR && starved()) return;
      this.stop();
      silent(this.#looks * LOOK_MS);
    }, LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Milliseconds since the other side was heard, by the listener's own looks; 0 while it is well. */
export class SilenceTimer {
  #looks = 0;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => (this.#looks += 1), LOOK_MS);
    this.#timer.unref();
  }

  heard(): void {
    this.#looks = 0;
  }

  get silentMs(): number {
    const ms = this.#looks * LOOK_MS;
    return ms < SILENCE_MS ? 0 : ms;
  }
}
