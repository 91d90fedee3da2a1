import { readFileSync } from "node:fs";
import { type LineResult, ratios } from "./proxy.js";
import { beside, type StreamingResult } from "./streaming.js";

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
    const told = [
      `${found.named.toFixed(2)} × ${result.line.against}, allowed ${(named * TOLERANCE).toFixed(2)}`,
      `${found.node.toFixed(2)} × ${NODE}, allowed ${(node * TOLERANCE).toFixed(2)}`,
    ];
    say(`${holds ? "ok" : "TOO SLOW"}: ${result.line.name}: ${told.join(", or ")}`);
    return holds;
  });
}

/** The line with large bodies that CI guards. */
export const STREAMED = "64 kB body, streaming filter";
/** CPU time that a streaming filter may take beside nginx + Lua's `gsub`. */
const STREAMING_CPU = 0.85;
/** And beside `node:http` with undici and `replace` over the whole body: for the hours in which JavaScript is slow here. */
const STREAMING_NODE_CPU = 0.5;

/**
 * True when streaming bodies stay within their budget and all arrive; says which do not. The p99 is only shown: beside other
 * programs it says who was given a core (1.25 × alone, 3.4 × with four of them).
 */
export function guardStreaming(results: readonly StreamingResult[], say: (text: string) => void): boolean {
  return results.every((result) => {
    const { cpu, p99 } = beside("nginx + Lua", result);
    const node = beside(NODE, result).cpu;
    const failed = result.peers.get("gwc")?.failed ?? 0;
    const [most, mostOfNode] = [STREAMING_CPU * TOLERANCE, STREAMING_NODE_CPU * TOLERANCE];
    const holds = (cpu <= most || node <= mostOfNode) && failed === 0;
    const found = [
      `${cpu.toFixed(2)} × CPU of nginx + Lua, allowed ${most.toFixed(2)}`,
      `or ${node.toFixed(2)} × ${NODE}, allowed ${mostOfNode.toFixed(2)}`,
      `${p99.toFixed(2)} × p99 of nginx + Lua`,
      `${failed} failed`,
    ];
    say(`${holds ? "ok" : "TOO SLOW"}: ${result.line}: ${found.join(", ")}`);
    return holds;
  });
}

interface Ratios {
  named: number;
  node: number;
}
