import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Why the peak of a process's memory cannot be watched here; undefined where it can. */
export const memoryUnwatched = existsSync("/proc/self/clear_refs")
  ? undefined
  : "this kernel has no /proc/self/clear_refs";

/** Bytes of a line of /proc/<pid>/status. */
function memory(pid: number, line: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`^${line}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1]) * 1_024;
}

/** Resident memory of a process, in bytes. */
export const resident = (pid: number): number => memory(pid, "VmRSS");

/** Most resident memory of a process since now, beyond what it has now, in bytes. */
export function watchResident(pid: number): () => number {
  // Sets the kernel's high-water mark back to what is resident (proc(5)), so that no peak between two looks is missed.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = resident(pid);
  return () => memory(pid, "VmHWM") - before;
}
