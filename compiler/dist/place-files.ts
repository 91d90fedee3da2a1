import { randomBytes } from "node:crypto";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** What became of the files of a directory. */
export interface Placed {
  written: number;
  /** They stand as they stood: the same bytes in the same file. */
  kept: number;
}

/**
 * Makes a directory hold these files and no others: all of it beside the target first, then in place by renaming, so
 * nobody reads half of it and whatever ends the process leaves the old one or the new one. A file whose bytes have not changed is
 * linked and not written; its bytes are compared, so one that was damaged is mended.
 * @throws Error of the file system; the target is as it was
 */
export function placeFiles(target: string, files: ReadonlyMap<string, string>): Placed {
  const replaces = existsSync(target);
  const same = new Set(replaces ? [...files].flatMap((file) => (isSame(target, file) ? file[0] : [])) : []);
  const placed = { written: files.size - same.size, kept: same.size };
  if (same.size === files.size && filesBelow(target) === files.size) return placed;
  const suffix = randomBytes(4).toString("hex");
  const [next, previous] = [`${target}.next-${suffix}`, `${target}.previous-${suffix}`];
  try {
    makeFolders(next, files.keys());
    for (const [name, text] of files) {
      if (same.has(name) && linked(join(target, name), join(next, name))) continue;
      if (same.has(name)) Object.assign(placed, { written: placed.written + 1, kept: placed.kept - 1 });
      writeFileSync(join(next, name), text);
    }
    if (replaces) renameSync(target, previous);
    renameSync(next, target);
  } catch (error) {
    if (!existsSync(target) && existsSync(previous)) renameSync(previous, target);
    rmSync(next, { recursive: true, force: true });
    throw error;
  }
  if (replaces) rmSync(previous, { recursive: true });
  removeLeftOver(target);
  return placed;
}

/** No build takes so long. */
const LEFT_OVER_MS = 3_600_000;

/** What builds that were killed have left beside the target. */
function removeLeftOver(target: string): void {
  const isOurs = /^(?:next|previous)-[0-9a-f]{8}$/;
  for (const name of readdirSync(dirname(target))) {
    const path = join(dirname(target), name);
    if (!name.startsWith(`${basename(target)}.`) || !isOurs.test(name.slice(basename(target).length + 1)))
      continue;
    if (Date.now() - lstatSync(path).mtimeMs > LEFT_OVER_MS) rmSync(path, { recursive: true, force: true });
  }
}

function isSame(target: string, [name, text]: readonly [string, string]): boolean {
  try {
    const path = join(target, name);
    return lstatSync(path).isFile() && readFileSync(path).equals(Buffer.from(text));
  } catch {
    return false;
  }
}

/** Not every file system has links. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function filesBelow(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  ).length;
}

function makeFolders(root: string, names: Iterable<string>): void {
  // One at a time: where a file system refuses with ENOENT (/proc), mkdir of Node 20 with `recursive` never returns.
  const folders = new Set([...ancestors(root), root, ...[...names].map((name) => dirname(join(root, name)))]);
  for (const folder of folders) if (!existsSync(folder)) mkdirSync(folder);
}

/** The directories above a path, outermost first. */
function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...ancestors(parent), parent];
}
