import { FAILURE_NAMES } from "../abi/passive-checks.js";
import type { LiveNode } from "../proxy/host/contract.js";
import type { NodeChange } from "../proxy/upstream/node-health.js";
import { log } from "./log.js";
import { logReport } from "./report-limit.js";

export function logNodeChange(upstream: string, { host, port }: LiveNode, change: NodeChange): void {
  const node = `${host}:${port}`;
  if (change.kind === "returned") {
    log("node_returned", { upstream, node, out_seconds: rounded(change.outMs) });
    return;
  }
  const reason = FAILURE_NAMES[change.reason];
  // A failing node causes this line for each failure; the number of failures would make each line different.
  if (change.kind === "spared") logReport("node_not_ejected", { upstream, node, reason });
  else
    log("node_ejected", { upstream, node, reason, failures: change.failures, seconds: rounded(change.ms) });
}

const rounded = (ms: number) => Math.round(ms) / 1_000;
