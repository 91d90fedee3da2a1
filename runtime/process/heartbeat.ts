import { Worker } from "node:worker_threads";

/** Places in the shared memory between a worker's main thread and its watchdog. */
export const CELL = {
  /** Counted up by the main thread. */
  beats: 0,
  /** `order` of the route whose code ran last, -1 before the first request. */
  route: 1,
  /** 1 while a generation is being loaded, which may take seconds at 100,000 routes. */
  loading: 2,
  /** 1 from the moment of a graceful stop on. */
  stopping: 3,
} as const;
const CELLS = 4;

/** Between two beats and between two looks of the watchdog. */
export const BEAT_MS = 100;

export interface WatchdogData {
  cells: SharedArrayBuffer;
  worker: number;
  pid: number;
  /** Control's socket, for the report. */
  socket: string;
  /** Silence after which the process is ended. */
  silenceMs: number;
}

export interface Heartbeat {
  /** Shared cells: the data path writes the route here before it runs generated code. */
  readonly cells: Int32Array;
  /** Runs `load` under the longer limit of loading. */
  loading<T>(load: () => T): T;
  stop(): void;
}

/**
 * Starts beating and the thread that watches. Regular expressions and generated code run on the main thread and
 * nothing there can interrupt them: the thread ends the whole process when the beats stop.
 */
export function startHeartbeat(options: Omit<WatchdogData, "cells">): Heartbeat {
  const memory = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT);
  const cells = new Int32Array(memory);
  cells[CELL.route] = -1;
  const thread = new Worker(new URL("./watchdog.js", import.meta.url), {
    workerData: { ...options, cells: memory } satisfies WatchdogData,
    // The thread needs no flag of the process and little memory.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
  });
  thread.unref();
  const timer = setInterval(() => Atomics.add(cells, CELL.beats, 1), BEAT_MS);
  timer.unref();
  return {
    cells,
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
      void thread.terminate();
    },
  };
}
