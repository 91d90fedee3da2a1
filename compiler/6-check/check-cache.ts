import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { readRegularText } from "../../runtime/abi/regular-file.js";
import type { ModuleMarks } from "../model/emit-target.js";

export interface Emitted {
  typescript: string;
  marks?: ModuleMarks | undefined;
}

/** SHA-256 of modules known to pass the check. It holds no module text. */
export type CheckedHashes = ReadonlySet<string>;

/** Key of a module in the cache. The loadable form follows from the TypeScript, so its hash is not needed. */
export function checkCacheKey(module: Emitted): string {
  return module.marks?.typescript.hash ?? sha256(module.typescript);
}

/**
 * Hashes of the modules of a build that the same checker checked; empty if the directory holds no such build.
 */
export function checkedInBuild(directory: string, checker: string): CheckedHashes {
  try {
    const text = readRegularText(join(directory, MANIFEST));
    const { checked, files } = JSON.parse(text) as { checked?: string; files: Record<string, string> };
    if (checked !== checker) return new Set();
    return new Set(Object.entries(files).flatMap(([name, hash]) => (name.endsWith(".ts") ? [hash] : [])));
  } catch {
    return new Set();
  }
}

/** Maximum entries, 65 bytes each; the oldest are dropped. */
const MOST = 200_000;

/** Hashes that earlier builds left in a cache, newest first; empty if the cache is damaged or missing. */
export function readCheckCache(cache: string, checker: string): CheckedHashes {
  try {
    const [sum, ...names] = readRegularText(fileIn(cache, checker)).split("\n");
    return sum === sha256(names.join("\n")) ? new Set(names) : new Set();
  } catch {
    return new Set();
  }
}

/**
 * Adds hashes of checked modules. Concurrent jobs may share a cache: each writes a whole file, and an entry
 * lost that way is checked again.
 * @throws Error of the file system
 */
export function writeCheckCache(cache: string, checker: string, names: Iterable<string>): void {
  const all = [...new Set([...names, ...readCheckCache(cache, checker)])].slice(0, MOST);
  mkdirSync(cache, { recursive: true });
  const next = join(cache, `next-${randomBytes(8).toString("hex")}`);
  writeFileSync(next, `${sha256(all.join("\n"))}\n${all.join("\n")}`);
  renameSync(next, fileIn(cache, checker));
}

const fileIn = (cache: string, checker: string) => join(cache, `passed-${checker}`);
