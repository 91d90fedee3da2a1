import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../runtime/abi/hash.js";
import type { ModuleMarks } from "../target.js";

/** A generated module in both forms. */
export interface Emitted {
  typescript: string;
  loadable: string;
  /** Of both, where they are known. */
  marks?: ModuleMarks | undefined;
}

/** Of which modules it is known that they pass the check, by the hashes of their texts. No text comes from here. */
export type Passed = ReadonlySet<string>;

export function passedName(module: Emitted): string {
  const { marks } = module;
  return marks
    ? `${marks.typescript.hash} ${marks.loadable.hash}`
    : `${sha256(module.typescript)} ${sha256(module.loadable)}`;
}

/** What a build that was checked by the same checker lists; empty where the directory holds no such build. */
export function passedInBuild(directory: string, checker: string): Passed {
  try {
    const text = readFileSync(join(directory, "manifest.json"), "utf8");
    const { checked, files } = JSON.parse(text) as { checked?: string; files: Record<string, string> };
    if (checked !== checker) return new Set();
    const loadable = Object.keys(files).filter((name) => name.endsWith(".js"));
    return new Set(loadable.map((name) => `${files[name.replace(/js$/, "ts")]} ${files[name]}`));
  } catch {
    return new Set();
  }
}

/** Beyond this the oldest go: 130 bytes each. */
const MOST = 200_000;

/** What earlier builds have left in a cache, newest first; nothing where it is damaged or not there. */
export function passedInCache(cache: string, checker: string): Passed {
  try {
    const [sum, ...names] = readFileSync(fileIn(cache, checker), "utf8").split("\n");
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
export function keepPassed(cache: string, checker: string, names: Iterable<string>): void {
  const all = [...new Set([...names, ...passedInCache(cache, checker)])].slice(0, MOST);
  mkdirSync(cache, { recursive: true });
  const next = join(cache, `next-${randomBytes(8).toString("hex")}`);
  writeFileSync(next, `${sha256(all.join("\n"))}\n${all.join("\n")}`);
  renameSync(next, fileIn(cache, checker));
}

const fileIn = (cache: string, checker: string) => join(cache, `passed-${checker}`);
