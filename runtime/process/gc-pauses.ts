import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import type { Histogram, Metrics } from "../abi/metrics.js";

/** Upper bounds in s: a scavenge takes about a millisecond, a full collection of a large heap a tenth of a second. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const HELP = "Pauses for garbage collection, in seconds.";
const KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weak_callbacks",
};

export class GcPauses {
  readonly #observer: PerformanceObserver;
  readonly #pauses: ReadonlyMap<number, Histogram>;

  constructor(metrics: Metrics) {
    this.#pauses = new Map(
      Object.entries(KINDS).map(([number, kind]) => [
        Number(number),
        metrics.histogram("gw_gc_pause_seconds", HELP, { kind }, BUCKETS),
      ]),
    );
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#took(entry);
    });
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  close(): void {
    this.#observer.disconnect();
  }

  #took(entry: PerformanceEntry): void {
    const { detail, duration } = entry as PerformanceEntry & { detail: { kind: number } };
    this.#pauses.get(detail.kind)?.observe(duration / 1_000);
  }
}
