import { Worker } from "node:worker_threads";
import { ENVIRONMENT } from "./launch-plan.js";
import { log } from "./log.js";

/** Indexes in the memory that a main thread shares with its watchdog. */
export const CELL = {
  /** Counter that the main thread increments. */
  beats: 0,
  /** Above 0 while a generation loads, which may take seconds at 100,000 routes. */
  loading: 1,
  /** 1 from the beginning of a graceful stop. */
  stopping: 2,
} as const;
const CELLS = 3;

/** Interval in ms of heartbeats, and of the watchdog's checks. */
export const BEAT_MS = 100;

export interface WatchdogData {
  cells: SharedArrayBuffer;
  name: string;
  pid: number;
  /** Data of a worker's report to control. */
  report?: { worker: number; socket: string; running: SharedArrayBuffer };
  /** Silence of the main thread in ms after which the watchdog kills the process. */
  silenceMs: number;
  /** Descriptor for liveness signals; absent without a launcher. */
  pulse?: number;
}

export interface Heartbeat {
  /** Runs `load` under the longer limit of loading. */
  loading<T>(load: () => T): T;
  /** Ends the watch of the main thread; liveness signals go on until the process ends. */
  stop(): void;
}

/** Nothing on the main thread can interrupt a regular expression: the watchdog kills a process without heartbeat. */
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
  // Without its watchdog a process sends no liveness signals, and the launcher replaces it.
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
