import { FAILURE_NAMES } from "../abi/passive-checks.js";
import type { LiveNode } from "../proxy/host/contract.js";
import type { NodeChange } from "../proxy/upstream/node-health.js";
import { log } from "./log.js";

const WINDOW_MS = 1000;
/** Maximum different reports at a time; further ones count as one. */
const MOST = 1000;
const LEFT_OUT = "reports_suppressed";

/** Recent reports, with their repetitions since the last line. */
const again = new Map<string, number>();

/** Writes a line: `log`, or control, which adds to it. */
export type WriteLine = (event: string, fields: Record<string, unknown>) => void;

/** Writes a line at most once a second, with repetitions as `repeated`: a node that is down would fill the disk. */
export function logReport(event: string, fields: Record<string, unknown>, write: WriteLine = log): void {
  const key = JSON.stringify([event, fields]);
  if (again.has(key)) {
    again.set(key, (again.get(key) ?? 0) + 1);
    return;
  }
  if (again.size >= MOST && event !== LEFT_OUT) {
    logReport(LEFT_OUT, {});
    return;
  }
  write(event, fields);
  follow(key, event, fields, write);
}

function follow(key: string, event: string, fields: Record<string, unknown>, write: WriteLine): void {
  again.set(key, 0);
  setTimeout(() => {
    const repeated = again.get(key) ?? 0;
    again.delete(key);
    if (repeated === 0) return;
    write(event, { ...fields, repeated });
    follow(key, event, fields, write);
  }, WINDOW_MS).unref();
}

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
