import { readFileSync } from "node:fs";
import { type LineResult, ratios } from "./proxy.js";

/** Ratios recorded on the machine of docs/performance.md; a run may be at most 10 % above. */
const RECORD = new URL("../../../test/bench/recorded-ratios.json", import.meta.url);
const TOLERANCE = 1.1;

/** True when every line stays within the recorded ratio to its named peer; says which do not. */
export function guardSmoke(results: readonly LineResult[], say: (text: string) => void): boolean {
  const recorded = JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, number>;
  return results.every((result) => {
    const allowed = (recorded[result.line.name] ?? 0) * TOLERANCE;
    const { named } = ratios(result);
    const holds = named <= allowed;
    say(
      `${holds ? "ok" : "TOO SLOW"}: ${result.line.name}: ${named.toFixed(2)} × ${result.line.against}, allowed ${allowed.toFixed(2)}`,
    );
    return holds;
  });
}
