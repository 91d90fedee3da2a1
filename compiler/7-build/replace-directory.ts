import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { readRegularFile } from "../../runtime/abi/regular-file.js";
import type { BuildFile } from "./build-file.js";
import type { LinkedCopy } from "./linked-copy.js";
import { replacedFiles } from "./listed-files.js";

/** Number of written and unchanged files of a directory. */
export interface WriteCounts {
  written: number;
  /** Unchanged files: the same bytes in the same file. */
  kept: number;
}

/**
 * Replaces the content of a directory by these files. The new content is written next to the target and
 * renamed into place. So nobody reads half of it, and a crash leaves the old or the new directory. Unchanged
 * files are linked, not written; a damaged file is written again.
 * @param copy linked copy of the target, in which only different files must be written
 * @throws Error of the file system; the target is unchanged
 * @returns undefined if a file without text is damaged or missing; the target is unchanged
 */
export function replaceDirectory(
  target: string,
  files: ReadonlyMap<string, BuildFile>,
  copy?: LinkedCopy,
): WriteCounts | undefined {
  const replaces = existsSync(target);
  const { hashes } = replacedFiles(target);
  const stands = replaces ? unchangedIn(target, hashes) : () => false;
  const same = new Set([...files].flatMap(([name, file]) => (stands(name, file) ? name : [])));
  const changed = new Map<string, string>();
  for (const [name, { text }] of files) {
    if (same.has(name)) continue;
    if (text === undefined) return undefined;
    changed.set(name, text);
  }
  const placed = { written: files.size - same.size, kept: same.size };
  if (same.size === files.size && filesBelow(target) === files.size) return placed;
  if (copy?.take()) {
    changeCopy(copy.path, Object.keys(hashes), changed, same);
    inPlace(target, copy.path, copy.previous);
    copy.leave();
  } else {
    const suffix = randomBytes(4).toString("hex");
    const [next, previous] = [`${target}.next-${suffix}`, `${target}.previous-${suffix}`];
    try {
      Object.assign(placed, makeFiles(target, next, files, same));
      inPlace(target, next, previous);
    } catch (error) {
      rmSync(next, { recursive: true, force: true });
      throw error;
    }
    if (replaces) rmSync(previous, { recursive: true });
  }
  removeLeftOver(target);
  return placed;
}

/** @param same names of files that are unchanged in the target */
function makeFiles(
  target: string,
  next: string,
  files: ReadonlyMap<string, BuildFile>,
  same: ReadonlySet<string>,
): WriteCounts {
  const placed = { written: 0, kept: 0 };
  makeFolders(next, files.keys());
  for (const [name, { text }] of files) {
    const [from, to] = [join(target, name), join(next, name)];
    const isLinked = same.has(name) && linked(from, to);
    if (!isLinked && text === undefined) copyFileSync(from, to);
    else if (!isLinked && text !== undefined) writeFileSync(to, text);
    placed[isLinked ? "kept" : "written"]++;
  }
  return placed;
}

/**
 * Updates a copy. A linked file is never written in place, which would change the original: it is unlinked
 * and a new file replaces it.
 * @param linked names of the files in the copy
 * @param changed text of the files that the target lacks, by name
 */
function changeCopy(
  copy: string,
  linked: readonly string[],
  changed: ReadonlyMap<string, string>,
  same: ReadonlySet<string>,
): void {
  for (const name of linked) if (!same.has(name)) unlinkSync(join(copy, name));
  makeFolders(copy, changed.keys());
  for (const [name, text] of changed) writeFileSync(join(copy, name), text);
}

function inPlace(target: string, next: string, previous: string): void {
  const replaces = existsSync(target);
  try {
    if (replaces) renameSync(target, previous);
    renameSync(next, target);
  } catch (error) {
    if (replaces && !existsSync(target)) renameSync(previous, target);
    throw error;
  }
}

/** Age in ms of a directory that no running build can still use. */
const LEFT_OVER_MS = 3_600_000;

/** Removes directories that killed builds left next to the target. */
function removeLeftOver(target: string): void {
  const isOurs = /^(?:next|previous)-[0-9a-f]{8}$/;
  for (const name of readdirSync(dirname(target))) {
    const path = join(dirname(target), name);
    if (!name.startsWith(`${basename(target)}.`) || !isOurs.test(name.slice(basename(target).length + 1)))
      continue;
    if (Date.now() - lstatSync(path).mtimeMs > LEFT_OVER_MS) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Reports whether a file in the target is unchanged. It is not read if the manifest lists its hash, its size
 * fits, and it is older than the manifest. Reading 60,000 files took 7 s of a build that changed five. A file
 * that was changed and backdated differs from the manifest, so no gateway runs it (GW6105).
 */
function unchangedIn(
  target: string,
  hashes: Readonly<Record<string, string>>,
): (name: string, file: BuildFile) => boolean {
  const since = lstatSync(join(target, MANIFEST), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return (name, { hash, size }) => {
    try {
      const path = join(target, name);
      const stat = lstatSync(path);
      if (!stat.isFile() || stat.size !== size) return false;
      return (hashes[name] === hash && stat.mtimeMs < since) || sha256(readRegularFile(path, size)) === hash;
    } catch {
      return false;
    }
  };
}

/** Links a file; false if the file system has no hard links. */
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
  // One at a time: if a file system fails with ENOENT (/proc), mkdir of Node 20 with `recursive` never
  // returns.
  const folders = new Set([...ancestors(root), root, ...[...names].map((name) => dirname(join(root, name)))]);
  for (const folder of folders) if (!existsSync(folder)) mkdirSync(folder);
}

/** Directories above a path, outermost first. */
function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...ancestors(parent), parent];
}
