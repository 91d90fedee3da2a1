import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { readRegularText } from "../../runtime/abi/regular-file.js";
import type { ModuleMarks } from "../emit-target.js";

/** A generated module. */
export interface Emitted {
  typescript: string;
  /** Where they are known. */
  marks?: ModuleMarks | undefined;
}

/** Of which modules it is known that they pass the check, by the hashes of their TypeScript. No text comes from here. */
export type CheckedHashes = ReadonlySet<string>;

/** The form that is loaded follows from it. */
export function checkCacheKey(module: Emitted): string {
  return module.marks?.typescript.hash ?? sha256(module.typescript);
}

/** What a build that was checked by the same checker lists; empty where the directory holds no such build. */
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

/** Beyond this the oldest go: 65 bytes each. */
const MOST = 200_000;

/** What earlier builds have left in a cache, newest first; nothing where it is damaged or not there. */
export function readCheckCache(cache: string, checker: string): CheckedHashes {
  try {
    const [sum, ...names] = readRegularText(fileIn(cache, checker)).split("\n");
    return sum === sha256(names.join("\n")) ? new Set(names) : new Set();
  } catch {
    return new Set();
  }
}

/**
 * Adds what has passed. Jobs that share a cache may do so at the same time: each file is whole, and what one of them does not find
 * is checked again.
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
