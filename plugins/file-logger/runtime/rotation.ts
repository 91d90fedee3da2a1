import { renameSync, type Stats, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Suffix of rotated files: UTC time and process id. Their alphabetical order is chronological. */
const RENAMED = /^\.\d{8}T\d{9}Z-\d+$/;

let lastMs = 0;

/** `.20261125T184019123Z-4711`; never the same twice in a process. */
function suffix(): string {
  lastMs = Math.max(Date.now(), lastMs + 1);
  return `.${new Date(lastMs).toISOString().replace(/[-:.]/g, "")}-${process.pid}`;
}

/**
 * Renames a full file, unless another process has. Both steps run synchronously: two workers that see a full
 * file at once are microseconds apart, and the later one finds another file. Otherwise it renames that one
 * under a name of its own: nothing is ever overwritten.
 * @param full the file that was found to be full
 */
export function renameFull(path: string, full: Stats): void {
  const now = statSync(path);
  if (isSame(now, full)) renameSync(path, `${path}${suffix()}`);
}

/** Several processes may remove files at once. */
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
