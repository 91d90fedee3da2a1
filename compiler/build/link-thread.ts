import { linkSync, mkdirSync, rmSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { workerData } from "node:worker_threads";
import { listedFiles } from "./listed-files.js";

/** What `LinkedCopy` asks of its thread. */
export interface LinkTask {
  from: string;
  to: string;
  previous: string;
  /** Two flags: 0, 1 when all is linked, 2 when something cannot be; and whether the build is over. */
  state: Int32Array;
}

/** @throws Error of the file system */
function linkAll({ from, to }: LinkTask, names: readonly string[]): void {
  const folders = new Set<string>();
  mkdirSync(to);
  for (const name of names) {
    const folder = dirname(join(to, name));
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    linkSync(join(from, name), join(to, name));
  }
}

/** By name first, which asks half as much of the file system as `rmSync` does. */
function remove(directory: string, names: readonly string[]): void {
  try {
    for (const name of names) unlinkSync(join(directory, name));
  } catch {
    // It is not there, or there is less in it.
  }
  rmSync(directory, { recursive: true, force: true });
}

const task = workerData as LinkTask;
let names: string[] = [];
let outcome = 2;
try {
  names = Object.keys(listedFiles(task.from));
  linkAll(task, names);
  outcome = 1;
} catch {
  // A file system without links, or a build that somebody has damaged: `replaceDirectory` writes what it needs.
}
Atomics.store(task.state, 0, outcome);
Atomics.notify(task.state, 0);
Atomics.wait(task.state, 1, 0);
for (const left of [task.to, task.previous]) remove(left, names);
