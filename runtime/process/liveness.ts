import type { Readable } from "node:stream";
import { POLL_MS, ProcessTimeout } from "./starvation.js";

/** Interval in ms of a child's liveness signals. */
export const LIVENESS_MS = 500;
/** Silence in ms after which a child counts as stopped. */
const SILENCE_MS = 2_000;
/** Timeout in ms of the first signal: Node starts in 0.1 s, and in many seconds on a machine that swaps. */
const START_MS = 60_000;

/**
 * Watches a child from outside: its own watchdog cannot kill a process that is stopped (SIGSTOP, a debugger,
 * a frozen container). Silence is counted in polls, so that a freeze of the host makes no child look dead.
 * @param silent called once, with the silence in ms
 * @param starved reports whether the child is starved of CPU
 */
export function livenessTimeout(
  pulses: Readable,
  silent: (ms: number) => void,
  starved: () => boolean,
): ProcessTimeout {
  const timeout = new ProcessTimeout(START_MS, starved, silent);
  pulses.on("data", () => timeout.restart(SILENCE_MS));
  pulses.on("error", () => {});
  return timeout;
}

/** Time in ms since the last signal of the other side, counted in own polls; 0 while signals arrive. */
export class SilenceTimer {
  #polls = 0;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => (this.#polls += 1), POLL_MS);
    this.#timer.unref();
  }

  heard(): void {
    this.#polls = 0;
  }

  get silentMs(): number {
    const ms = this.#polls * POLL_MS;
    return ms < SILENCE_MS ? 0 : ms;
  }
}
