import { mainThreadMs, wantsProcessor } from "./proc-stat.js";

/** Factor that extends a timeout of a process that is starved of CPU: to replace it would only load the machine more. */
export const STARVED_FACTOR = 5;
/** Interval between two looks of an observer, in ms. */
export const LOOK_MS = 250;
/** Share of a silence that a main thread spends on a processor when code holds it; with less it is starved. */
const HELD_SHARE = 0.25;

/** Reports whether a process is starved of CPU. @param silenceMs its silence so far, in ms */
export type IsStarved = (silenceMs: number) => boolean;

/** CPU time that the main thread of a process has had since construction; tells code that holds it from starvation. */
export class MainThreadTime {
  readonly #pid: number;
  readonly #read: (pid: number) => number | undefined;
  readonly #since: number | undefined;

  constructor(pid: number, read = mainThreadMs) {
    this.#pid = pid;
    this.#read = read;
    this.#since = read(pid);
  }

  /** Reports whether the thread had less than a quarter of `ms` on a processor; false if proc(5) has no such process. */
  isBelow(ms: number): boolean {
    const now = this.#read(this.#pid);
    return now !== undefined && this.#since !== undefined && now - this.#since < ms * HELD_SHARE;
  }
}

/** Readings of proc(5), injected by tests. */
export interface ProcReadings {
  mainThreadMs: (pid: number) => number | undefined;
  wantsProcessor: (pid: number) => boolean;
}

/**
 * Starvation of a process that owes an answer, from now on: it would run, and its main thread has had less than a quarter of its
 * silence on a processor. A stopped process would not run, and a busy loop has had more. The observer's own process is never
 * starved, since the observer runs.
 */
export function starvationOf(
  pid: number,
  readings: ProcReadings = { mainThreadMs, wantsProcessor },
): IsStarved {
  if (pid === process.pid) return () => false;
  const time = new MainThreadTime(pid, readings.mainThreadMs);
  return (silenceMs) => readings.wantsProcessor(pid) && time.isBelow(silenceMs);
}

/**
 * Timeout of another process, extended up to `STARVED_FACTOR` times while that process is starved. Counts its own looks instead of
 * reading a clock, so that an observer that got no processor itself, or a host that was frozen, reads what has arrived before it
 * gives a process up.
 */
export class ProcessTimeout {
  #looks = 0;
  #limit: number;
  readonly #timer: NodeJS.Timeout;

  /** @param expired called once, with the silence in ms */
  constructor(limitMs: number, isStarved: IsStarved, expired: (silentMs: number) => void) {
    this.#limit = limitMs / LOOK_MS;
    this.#timer = setInterval(() => {
      this.#looks += 1;
      if (this.#looks < this.#limit) return;
      const silentMs = this.#looks * LOOK_MS;
      if (this.#looks < this.#limit * STARVED_FACTOR && isStarved(silentMs)) return;
      this.stop();
      expired(silentMs);
    }, LOOK_MS);
  }

  /** Begins again, with another limit. */
  restart(limitMs: number): void {
    this.#looks = 0;
    this.#limit = limitMs / LOOK_MS;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
