import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Changes the log of generations of a gateway that does not run.
 * @param change of its lines
 */
export function changeLog(directory: string, change: (lines: string[]) => string[]): void {
  const generations = join(directory, "store/generations");
  const [name = ""] = readdirSync(generations).filter((found) => found.startsWith("generation-"));
  const file = join(generations, name);
  // Zeros at the end preallocate space.
  const lines = readFileSync(file, "utf8").replace(/\0+$/, "").trimEnd().split("\n");
  writeFileSync(file, `${change(lines).join("\n")}\n`);
}

export const lastDelta = (lines: string[]) => lines.findLastIndex((line) => line.includes('"delta":'));
