import type { Readable } from "node:stream";
import { LOOK_MS, ProcessTimeout } from "./starvation.js";

/** Between two pulses of a child. */
export const LIVENESS_MS = 500;
/** Silence after which a child is taken for stopped. */
const SILENCE_MS = 2_000;
/** Until the first pulse: Node starts in 0.1 s, and in many seconds on a machine that swaps. */
const START_MS = 60_000;

/**
 * Watches from outside that a child lives: a process that is stopped (SIGSTOP, a debugger, a frozen container) is not
 * ended by its own watchdog. Silence is counted in looks, so that a host that was frozen, or an observer that was stopped itself,
 * does not take all of its children for dead when it goes on.
 */
export class LivenessMonitor {
  readonly #timeout: ProcessTimeout;

  /**
   * @param silent called once, with the silence in ms
   * @param starved reports whether the child waits for a processor
   */
  constructor(pulses: Readable, silent: (ms: number) => void, starved: () => boolean) {
    this.#timeout = new ProcessTimeout(START_MS, starved, silent);
    pulses.on("data", () => this.#timeout.restart(SILENCE_MS));
    pulses.on("error", () => {});
  }

  stop(): void {
    this.#timeout.stop();
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
