import { Worker } from "node:worker_threads";
import { ENVIRONMENT } from "./launch-plan.js";
import { log } from "./log.js";

/** Places in the shared memory between a process's main thread and its watchdog. */
export const CELL = {
  /** Counted up by the main thread. */
  beats: 0,
  /** 1 while a generation is being loaded, which may take seconds at 100,000 routes. */
  loading: 1,
  /** 1 from the moment of a graceful stop on. */
  stopping: 2,
} as const;
const CELLS = 3;

/** Between two beats and between two looks of the watchdog. */
export const BEAT_MS = 100;

export interface WatchdogData {
  cells: SharedArrayBuffer;
  /** "worker 0", "control", "captcha". */
  name: string;
  pid: number;
  /** For the report to control, of a worker. */
  report?: { worker: number; socket: string; running: SharedArrayBuffer };
  /** Silence of the main thread after which the process is ended. */
  silenceMs: number;
  /** Descriptor for signs of life; absent where no launcher watches. */
  pulse?: number;
}

export interface Heartbeat {
  /** Runs `load` under the longer limit of loading. */
  loading<T>(load: () => T): T;
  /** The main thread is watched no more; signs of life go on until the process ends. */
  stop(): void;
}

/**
 * Starts beating and the thread that watches. Regular expressions and generated code run on the main thread and
 * nothing there can interrupt them: the thread ends the whole process when the beats stop.
 */
export function startHeartbeat(options: Omit<WatchdogData, "cells" | "pid" | "pulse">): Heartbeat {
  const memory = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT);
  const cells = new Int32Array(memory);
  const pulse = process.env[ENVIRONMENT.pulse];
  const thread = new Worker(new URL("./watchdog.js", import.meta.url), {
    workerData: {
      ...options,
      cells: memory,
      pid: process.pid,
      ...(pulse !== undefined && { pulse: Number(pulse) }),
    } satisfies WatchdogData,
    // The thread needs no flag of the process and little memory.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
  });
  thread.unref();
  // Without its watchdog a process shows no signs of life, and the launcher replaces it.
  thread.on("error", (error) => log("watchdog_failed", { of: options.name, error: error.message }));
  const timer = setInterval(() => Atomics.add(cells, CELL.beats, 1), BEAT_MS);
  timer.unref();
  return {
    loading<T>(load: () => T): T {
      Atomics.add(cells, CELL.loading, 1);
      try {
        return load();
      } finally {
        Atomics.add(cells, CELL.beats, 1);
        Atomics.sub(cells, CELL.loading, 1);
      }
    },
    stop() {
      clearInterval(timer);
      Atomics.store(cells, CELL.stopping, 1);
    },
  };
}
