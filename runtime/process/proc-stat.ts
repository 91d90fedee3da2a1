import { readdirSync, readFileSync } from "node:fs";

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
export function mainThreadMs(pid: number): number | undefined {
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
