import { randomBytes } from "node:crypto";

/** Clocks and random numbers, as they show in requests and their records. */
export interface Ambient {
  /** Time in epoch milliseconds. */
  now(): number;
  /** Time in ms of a monotonic clock. */
  monotonic(): number;
  /** Random number from 0 to 1, without 1. */
  random(): number;
  hex(bytes: number): string;
  pid(): number;
}

const OF_PROCESS: Ambient = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  hex: (bytes) => randomBytes(bytes).toString("hex"),
  pid: () => process.pid,
};

/** Clocks that never change in a process that serves: there `now()` takes as long as `Date.now()`. */
export const ambient: Ambient = { ...OF_PROCESS };

/** Replaces them for all code of this thread, until the returned function is called. */
export function replaceAmbient(other: Ambient): () => void {
  Object.assign(ambient, other);
  return () => void Object.assign(ambient, OF_PROCESS);
}
