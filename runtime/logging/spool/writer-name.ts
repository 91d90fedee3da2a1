import { readFileSync } from "node:fs";

const open = new Set<string>();
let made = 0;

/** Names a new writer of this process; it counts as open until `closeWriter`. */
export function nameWriter(worker: number): string {
  const unique = Math.round((performance.timeOrigin + performance.now()) * 64 + (made++ % 64));
  const name = `${worker}-${process.pid}-${startOf(process.pid) ?? 0}-${unique.toString(36)}`;
  open.add(name);
  return name;
}

export function closeWriter(name: string): void {
  open.delete(name);
}

/** Reports whether a writer was named before that moment (epoch milliseconds). */
export function madeBefore(writer: string, moment: number): boolean {
  return Number.parseInt(writer.split("-")[3] ?? "", 36) / 64 < moment;
}

/** Reports whether a writer may still append to its segments: here, or in another live process. */
export function isWriting(writer: string): boolean {
  const [, id, started] = writer.split("-");
  const pid = Number(id);
  if (pid === process.pid && started === String(startOf(pid) ?? 0)) return open.has(writer);
  if (!isAlive(pid)) return false;
  // In a container the processes of every start have the same few ids.
  const start = startOf(pid);
  return start === undefined || started === "0" || start === started;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Ticks since boot (proc(5), stat, field 22), in base 36; undefined without /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field, the command in parentheses, may contain anything.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return ticks === undefined ? undefined : Number(ticks).toString(36);
  } catch {
    return undefined;
  }
}
