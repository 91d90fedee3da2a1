import { execFileSync, spawnSync } from "node:child_process";

/**
 * Reports whether gcc is installed; otherwise prints that tests are skipped.
 * @param subject subject of these tests
 */
export function hasCompiler(subject: string): boolean {
  if (spawnSync("gcc", ["--version"]).status === 0) return true;
  process.stderr.write(`tests of ${subject} are left out: gcc is not there\n`);
  return false;
}

/** Compiles a source in C to a library for LD_PRELOAD. */
export function compileLibrary(source: string, library: string): void {
  execFileSync("gcc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
}
