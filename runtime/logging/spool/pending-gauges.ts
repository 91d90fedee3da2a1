import type { Metrics } from "../../abi/metrics.js";
import { LOG_HELP, readOrigin } from "../batch/log-metrics.js";
import { SharedGauge } from "../batch/shared-gauge.js";
import type { EntryCounts } from "./segment-counts.js";

interface Level extends EntryCounts {
  entriesGauge: SharedGauge;
  bytesGauge: SharedGauge;
}

/** Limit of cached levels of entry sources; there are as many as routes. */
const MAX_ORIGINS = 4_096;

/** `gw_log_pending_entries` and `_bytes` of entries in a spool or on their way into it, by the name of the logger. */
export class PendingGauges {
  readonly #metrics: Metrics;
  readonly #levels = new Map<string, Level>();
  readonly #byOrigin = new Map<string, Level>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  add(origin: string, entries: number, bytes: number): void {
    const level = this.#of(origin);
    level.entries += entries;
    level.bytes += bytes;
    level.entriesGauge.set(level.entries);
    level.bytesGauge.set(level.bytes);
  }

  set(all: Iterable<ReadonlyMap<string, EntryCounts>>): void {
    for (const level of this.#levels.values()) {
      level.entries = 0;
      level.bytes = 0;
    }
    for (const amounts of all)
      for (const [origin, { entries, bytes }] of amounts) {
        const level = this.#of(origin);
        level.entries += entries;
        level.bytes += bytes;
      }
    for (const { entriesGauge, bytesGauge, entries, bytes } of this.#levels.values()) {
      entriesGauge.set(Math.max(0, entries));
      bytesGauge.set(Math.max(0, bytes));
    }
  }

  close(): void {
    for (const { entriesGauge, bytesGauge } of this.#levels.values()) {
      entriesGauge.release();
      bytesGauge.release();
    }
    this.#levels.clear();
    this.#byOrigin.clear();
  }

  #of(origin: string): Level {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined) return known;
    const { name } = readOrigin(origin);
    let level = this.#levels.get(name);
    if (level === undefined) {
      const gauge = (family: "gw_log_pending_entries" | "gw_log_pending_bytes") =>
        new SharedGauge(this.#metrics, family, LOG_HELP[family], { name });
      level = {
        entries: 0,
        bytes: 0,
        entriesGauge: gauge("gw_log_pending_entries"),
        bytesGauge: gauge("gw_log_pending_bytes"),
      };
      this.#levels.set(name, level);
    }
    if (this.#byOrigin.size >= MAX_ORIGINS) this.#byOrigin.clear();
    this.#byOrigin.set(origin, level);
    return level;
  }
}
