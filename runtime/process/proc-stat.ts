import { readdirSync, readFileSync } from "node:fs";

/** A tick of the times in proc(5), in milliseconds: USER_HZ is 100 on every architecture that Node runs on. */
const TICK_MS = 10;

/** Fields of a `stat` of proc(5) from the third one, the state, on; undefined where there is none. */
function statOf(path: string): string[] | undefined {
  try {
    const stat = readFileSync(path, "latin1");
    // The second field, the command in parentheses, may hold anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** Milliseconds of processor time that the main thread of a process has had; undefined where nobody says. */
export function mainThreadMs(pid: number): number | undefined {
  const fields = statOf(`/proc/${pid}/task/${pid}/stat`);
  // Fields 14 and 15: in user mode and in the kernel.
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Whether some thread of a process runs, or would if it got a processor: what is stopped or waits does not. */
export function wantsProcessor(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some(
      (thread) => statOf(`/proc/${pid}/task/${thread}/stat`)?.[0] === "R",
    );
  } catch {
    return false;
  }
}
