import { randomBytes } from "node:crypto";
import {
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
import { listedFiles } from "./listed-files.js";

/** What became of the files of a directory. */
export interface Placed {
  written: number;
  /** They stand as they stood: the same bytes in the same file. */
  kept: number;
}

/**
 * Makes a directory hold these files and no others: all of it beside the target first, then in place by renaming, so
 * nobody reads half of it and whatever ends the process leaves the old one or the new one. A file whose bytes have not changed is
 * linked and not written, so one that was damaged is mended.
 * @param copy of the target, in which only what differs is left to be written
 * @throws Error of the file system; the target is as it was
 */
export function replaceDirectory(
  target: string,
  files: ReadonlyMap<string, BuildFile>,
  copy?: LinkedCopy,
): Placed {
  const replaces = existsSync(target);
  const stands = replaces ? standingIn(target) : () => false;
  const same = new Set([...files].flatMap(([name, file]) => (stands(name, file) ? name : [])));
  const placed = { written: files.size - same.size, kept: same.size };
  if (same.size === files.size && filesBelow(target) === files.size) return placed;
  if (copy?.take()) {
    changeCopy(copy.path, Object.keys(manifestOf(target).hashes), files, same);
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

/** @param same names of files that stand in the target as they are to be */
function makeFiles(
  target: string,
  next: string,
  files: ReadonlyMap<string, BuildFile>,
  same: ReadonlySet<string>,
): Placed {
  const placed = { written: 0, kept: 0 };
  makeFolders(next, files.keys());
  for (const [name, file] of files) {
    const isLinked = same.has(name) && linked(join(target, name), join(next, name));
    if (!isLinked) writeFileSync(join(next, name), file.text());
    placed[isLinked ? "kept" : "written"]++;
  }
  return placed;
}

/**
 * Where a link leads to is never written through: it goes, and a file takes its place.
 * @param linked names of what is in the copy
 */
function changeCopy(
  copy: string,
  linked: readonly string[],
  files: ReadonlyMap<string, BuildFile>,
  same: ReadonlySet<string>,
): void {
  for (const name of linked) if (!same.has(name)) unlinkSync(join(copy, name));
  makeFolders(copy, files.keys());
  for (const [name, file] of files) if (!same.has(name)) writeFileSync(join(copy, name), file.text());
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

/**
 * Whether a file stands in the target as it is to be. One that its manifest lists with that hash, that has the size and is older than
 * the manifest, is not read: 60,000 reads took 7 s of a build that changed five files. What somebody has changed and made look old
 * so differs from the manifest, and no gateway runs it (GW6105).
 */
function standingIn(target: string): (name: string, file: BuildFile) => boolean {
  const { hashes, since } = manifestOf(target);
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

function manifestOf(target: string): { hashes: Record<string, string>; since: number } {
  try {
    return { hashes: listedFiles(target), since: lstatSync(join(target, MANIFEST)).mtimeMs };
  } catch {
    return { hashes: {}, since: 0 };
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
