import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../abi/error-message.js";
import type { MetricFamily } from "../../abi/metrics.js";
import { log } from "../../process/log.js";
import type { RetainedMetrics } from "./worker-metrics.js";

const FILE = "ended-workers.json";

/**
 * Keeps the counters of ended workers in the run directory. Otherwise a restarted control would report
 * smaller sums, which Prometheus takes for a restart of the gateway and counts again.
 */
export function retainedIn(runDirectory: string): RetainedMetrics {
  const file = join(runDirectory, FILE);
  return {
    load() {
      try {
        return JSON.parse(readFileSync(file, "utf8")) as MetricFamily[];
      } catch {
        // No worker has ended yet.
        return [];
      }
    },
    save(families) {
      try {
        writeFileSync(`${file}.next`, JSON.stringify(families), { mode: 0o600 });
        renameSync(`${file}.next`, file);
      } catch (error) {
        log("metrics_not_kept", { reason: messageOf(error) });
      }
    },
  };
}

/** Start time of the gateway: its run directory lives as long as its counters, unlike its processes. */
export function startOf(runDirectory: string): { startedAt?: number } {
  const { birthtimeMs } = statSync(runDirectory);
  // 0 on a file system without birth times.
  return birthtimeMs > 0 ? { startedAt: birthtimeMs } : {};
}
