import { readdirSync, readFileSync } from "node:fs";

/**
 * Ends the processes whose environment names a folder, and all that they have started, wherever their parents are now: Chromium and
 * httpd have sessions of their own, and rsyslog ignores the SIGINT of a terminal.
 * @param folder temporary directory of a run, given to its steps as TMPDIR
 * @returns the command lines of those ended
 */
export function endProcesses(folder: string): string[] {
  const stopped = new Map<number, string>();
  // A stopped process starts no other, so the search is complete when it finds nothing new.
  for (let isComplete = false; !isComplete; ) {
    const found = processesOf(folder).filter(({ pid }) => !stopped.has(pid));
    isComplete = found.length === 0;
    for (const { pid, command } of found) {
      signal(pid, "SIGSTOP");
      stopped.set(pid, command);
    }
  }
  for (const pid of stopped.keys()) signal(pid, "SIGKILL");
  return [...stopped.values()];
}

interface Process {
  pid: number;
  parent: number;
  command: string;
  /** True if its environment names the folder. */
  isMarked: boolean;
}

function processesOf(folder: string): Process[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processAt(Number(name), folder));
  const ours = new Set(all.filter(({ isMarked }) => isMarked).map(({ pid }) => pid));
  for (let size = -1; size !== ours.size; ) {
    size = ours.size;
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
  }
  return all.filter(({ pid }) => pid !== process.pid && ours.has(pid));
}

/** @returns nothing for a zombie, and for a process that is gone or another user's */
function processAt(pid: number, folder: string): Process[] {
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, "utf8");
  try {
    const [state = "", parent = ""] =
      read("stat")
        .split(/\) (?=[A-Z] )/)
        .at(-1)
        ?.split(" ") ?? [];
    if (state === "Z" || state === "X") return [];
    const isMarked = read("environ").split("\0").includes(`TMPDIR=${folder}`);
    return [{ pid, parent: Number(parent), command: read("cmdline").replaceAll("\0", " ").trim(), isMarked }];
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
