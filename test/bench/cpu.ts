import { readdirSync, readFileSync } from "node:fs";

/** CPU time in microseconds. The kernel counts in ticks of 10 ms, so a two-second run is exact to 0.5 %. */
export interface CpuTime {
  user: number;
  system: number;
}

const MICROSECONDS_PER_TICK = 10_000;

interface ProcessRow {
  pid: number;
  parent: number;
  cpu: CpuTime;
}

function readProcess(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The command name may hold blanks and brackets: fields are counted from the last ")".
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      pid,
      parent: Number(fields[1]),
      cpu: {
        user: Number(fields[11]) * MICROSECONDS_PER_TICK,
        system: Number(fields[12]) * MICROSECONDS_PER_TICK,
      },
    };
  } catch {
    return undefined;
  }
}

/** A process and all its living descendants. */
function tree(root: number): ProcessRow[] {
  const rows = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((row) => row !== undefined);
  const members = new Set([root]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of rows) {
      if (members.has(row.parent) && !members.has(row.pid)) {
        members.add(row.pid);
        grown = true;
      }
    }
  }
  return rows.filter((row) => members.has(row.pid));
}

/** CPU time so far of a process and all its living descendants. */
export function treeCpu(root: number): CpuTime {
  const total: CpuTime = { user: 0, system: 0 };
  for (const row of tree(root)) {
    total.user += row.cpu.user;
    total.system += row.cpu.system;
  }
  return total;
}

/** Resident memory in bytes of a process and all its living descendants. */
export function treeMemory(root: number): number {
  return tree(root).reduce((sum, { pid }) => sum + residentMemory(pid), 0);
}

function residentMemory(pid: number): number {
  try {
    return 1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
