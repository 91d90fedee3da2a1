import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Reason why the peak memory of a process cannot be measured here; undefined if it can. */
export const memoryUnwatched = existsSync("/proc/self/clear_refs")
  ? undefined
  : "this kernel has no /proc/self/clear_refs";

/** Value of a line of /proc/<pid>/status in bytes. */
function memory(pid: number, line: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`^${line}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1]) * 1_024;
}

/** Resident memory of a process in bytes. */
export const resident = (pid: number): number => memory(pid, "VmRSS");

/**
 * Starts to measure the peak of resident memory.
 * @returns a function that returns its growth since now in bytes
 */
export function watchResident(pid: number): () => number {
  // Resets the kernel's high-water mark to the resident size (proc(5)), so that no peak between two samples
  // is missed.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = resident(pid);
  return () => memory(pid, "VmHWM") - before;
}
