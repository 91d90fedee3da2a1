import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { Failure } from "./report.js";

/** Tolerance in ms: a checkout may write its files seconds apart, in any order. */
const TOLERATED_MS = 5_000;

/** Tests would not run code that changed after its compile. @param built folder of the compiled entry */
export function staleFiles(root: string, built: string): Failure[] {
  return sourcesIn(join(root, "src")).flatMap((source) => {
    const output = join(built, relative(join(root, "src"), source).replace(/\.([cm]?)ts$/, ".$1js"));
    const [written, compiled] = [changedAt(source), changedAt(output)];
    if (written === undefined || compiled === undefined || written - compiled < TOLERATED_MS) return [];
    const [file, older] = [relative(root, source), relative(root, output)];
    return [{ file, message: `newer than ${older}, which the test uses: run npx tsc` }];
  });
}

function sourcesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /(?<!\.d)\.[cm]?ts$/.test(path))
      .map((path) => join(folder, path))
      .sort();
  } catch {
    return [];
  }
}

function changedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
