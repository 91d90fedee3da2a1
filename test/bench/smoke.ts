import { readFileSync } from "node:fs";
import { type LineResult, ratios } from "./proxy.js";

/** Ratios recorded on the machine of docs/performance.md; a run may be at most 10 % above. */
const RECORD = new URL("../../../test/bench/recorded-ratios.json", import.meta.url);
const TOLERANCE = 1.1;
const NODE = "node:http + undici";

/**
 * True when every line stays within the recorded ratio to its named peer, or within that to a peer that is JavaScript too; says
 * which do not. There are hours in which this machine runs JavaScript at half its speed and the kernel at two thirds: unchanged
 * code was then at 1.65 to 1.98 × nginx instead of 1.3, and at 0.23 to 0.35 × the other peer. A slower hot path raises both.
 */
export function guardSmoke(results: readonly LineResult[], say: (text: string) => void): boolean {
  const recorded = JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, Ratios>;
  return results.every((result) => {
    const { named, node } = recorded[result.line.name] ?? { named: 0, node: 0 };
    const found = ratios(result);
    const holds = found.named <= named * TOLERANCE || found.node <= node * TOLERANCE;
    const beside = [
      `${found.named.toFixed(2)} × ${result.line.against}, allowed ${(named * TOLERANCE).toFixed(2)}`,
      `${found.node.toFixed(2)} × ${NODE}, allowed ${(node * TOLERANCE).toFixed(2)}`,
    ];
    say(`${holds ? "ok" : "TOO SLOW"}: ${result.line.name}: ${beside.join(", or ")}`);
    return holds;
  });
}

interface Ratios {
  named: number;
  node: number;
}
