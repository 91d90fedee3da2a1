import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { Failure } from "./report.js";

/** What a checkout writes at once may be seconds apart, in any order. */
const TOLERATED_MS = 5_000;

/**
 * Sources in `src` that were changed after what was compiled of them: what would be tested is not what is written.
 * @param built folder of the compiled entry
 */
export function staleFiles(root: string, built: string): Failure[] {
  return sourcesIn(join(root, "src")).flatMap((source) => {
    const output = join(built, relative(join(root, "src"), source).replace(/\.([cm]?)ts$/, ".$1js"));
    const [written, compiled] = [changedAt(source), changedAt(output)];
    if (written === undefined || compiled === undefined || written - compiled < TOLERATED_MS) return [];
    const [file, older] = [relative(root, source), relative(root, output)];
    return [{ file, message: `it is newer than ${older}, which would be tested in its place: npx tsc` }];
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
