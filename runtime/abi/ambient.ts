import { randomBytes } from "node:crypto";

/** Clocks and chance of the process, as far as requests and their records show them. */
export interface Ambient {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonic(): number;
  /** A number from 0 to 1, without 1. */
  random(): number;
  /** As many random bytes as hexadecimal digits. */
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

/** Clocks, ids and chance in force. In a process that serves they never change: `now()` takes as long as `Date.now()` there. */
export const ambient: Ambient = { ...OF_PROCESS };

/** Puts others in their place, for all that runs in this thread until what is returned is called. */
export function replaceAmbient(other: Ambient): () => void {
  Object.assign(ambient, other);
  return () => void Object.assign(ambient, OF_PROCESS);
}
