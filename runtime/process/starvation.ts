import { readdirSync, readFileSync } from "node:fs";
/** Factor that extends the timeout of a starved process: replacing it would only load the machine more. */
export const STARVED_FACTOR = 5;
/** Interval of an observer's polls in ms. */
export const POLL_MS = 250;
/** Minimum share of a silence that a blocked main thread spends on a CPU; with less it is starved. */
const HELD_SHARE = 0.25;

/** Reports whether a process is starved of CPU. @param silenceMs its silence so far, in ms */
export type IsStarved = (silenceMs: number) => boolean;

/** CPU time of a process's main thread since construction; it distinguishes blocking code from starvation. */
export class MainThreadTime {
  readonly #pid: number;
  readonly #read: (pid: number) => number | undefined;
  readonly #since: number | undefined;

  constructor(pid: number, read = mainThreadMs) {
    this.#pid = pid;
    this.#read = read;
    this.#since = read(pid);
  }

  /** Reports whether the thread had less than a quarter of `ms` on a CPU; false without such a process in proc(5). */
  hadUnderQuarterOf(ms: number): boolean {
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
 * A process that owes a signal is starved if it wants to run and its main thread has had less than a quarter
 * of its silence on a CPU; a stopped one does not want to run, and a busy loop has had more. The observer
 * itself is never starved: it runs.
 */
export function starvationOf(
  pid: number,
  readings: ProcReadings = { mainThreadMs, wantsProcessor },
): IsStarved {
  if (pid === process.pid) return () => false;
  const time = new MainThreadTime(pid, readings.mainThreadMs);
  return (silenceMs) => readings.wantsProcessor(pid) && time.hadUnderQuarterOf(silenceMs);
}

/**
 * Timeout of another process, extended up to `STARVED_FACTOR` times while that is starved. Counts its own
 * polls: an observer that was starved or frozen itself reads pending signals before it gives a process up.
 */
export class ProcessTimeout {
  #polls = 0;
  #limit: number;
  readonly #timer: NodeJS.Timeout;

  /** @param expired called once, with the silence in ms */
  constructor(limitMs: number, isStarved: IsStarved, expired: (silentMs: number) => void) {
    this.#limit = limitMs / POLL_MS;
    this.#timer = setInterval(() => {
      this.#polls += 1;
      if (this.#polls < this.#limit) return;
      const silentMs = this.#polls * POLL_MS;
      if (this.#polls < this.#limit * STARVED_FACTOR && isStarved(silentMs)) return;
      this.stop();
      expired(silentMs);
    }, POLL_MS);
  }

  restart(limitMs: number): void {
    this.#polls = 0;
    this.#limit = limitMs / POLL_MS;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Duration of a tick in proc(5) in ms: USER_HZ is 100 on every architecture that Node runs on. */
const TICK_MS = 10;

/** Returns the fields of a `stat` of proc(5) from the third one, the state, on; undefined if there is none. */
function statOf(path: string): string[] | undefined {
  try {
    const stat = readFileSync(path, "latin1");
    // The second field, the command in parentheses, may contain anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** Returns the CPU time in ms that the main thread of a process has had. @returns undefined without /proc */
function mainThreadMs(pid: number): number | undefined {
  const fields = statOf(`/proc/${pid}/task/${pid}/stat`);
  // Fields 14 and 15: time in user mode and in the kernel.
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Reports whether a thread of a process runs or waits for a CPU; a stopped or sleeping one does not count. */
export function wantsProcessor(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some(
      (thread) => statOf(`/proc/${pid}/task/${thread}/stat`)?.[0] === "R",
    );
  } catch {
    return false;
  }
}
