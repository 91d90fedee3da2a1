import { renameSync, type Stats, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** What renamed files are called behind the name of the log: when, in UTC, and by which process. Their order is that of time. */
const RENAMED = /^\.\d{8}T\d{9}Z-\d+$/;

let lastMs = 0;

/** `.20261125T184019123Z-4711`; never the same twice in a process. */
function suffix(): string {
  lastMs = Math.max(Date.now(), lastMs + 1);
  return `.${new Date(lastMs).toISOString().replace(/[-:.]/g, "")}-${process.pid}`;
}

/**
 * Renames a file that is full, unless another process has. Both steps stand in one turn: two workers that see a full file at once
 * are microseconds apart, and the later one finds another file. Should it not, it renames that one, under a name of its own: nothing is
 * ever written over.
 * @param full the file that was found to be full
 */
export function renameFull(path: string, full: Stats): void {
  const now = statSync(path);
  if (isSame(now, full)) renameSync(path, `${path}${suffix()}`);
}

/** Removes the oldest of the renamed files beyond `keep`. Several processes may do so at once. */
export async function removeOldest(path: string, keep: number): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const renamed = (await readdir(folder))
    .filter((one) => one.startsWith(name) && RENAMED.test(one.slice(name.length)))
    .sort();
  for (const one of renamed.slice(0, Math.max(0, renamed.length - keep)))
    await rm(join(folder, one), { force: true });
}

export const isSame = (one: Pick<Stats, "ino" | "dev">, other: Pick<Stats, "ino" | "dev">): boolean =>
  one.ino === other.ino && one.dev === other.dev;
