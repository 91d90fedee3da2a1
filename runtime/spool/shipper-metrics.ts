import { statSync } from "node:fs";
import type { Counter, Gauge, Metrics } from "../abi/metrics.js";
import type { Segment } from "./layout.js";

const DROPPED = "gw_spool_entries_dropped_total";

/** Counts entries of a destination that are lost: "drop_oldest", "full", "disk", "refused", "damaged". */
export function droppedCounter(metrics: Metrics, destination: string, reason: string): Counter {
  const help = "Log entries that the spool did not take or gave up, by reason.";
  return metrics.counter(DROPPED, help, { destination, reason });
}

const GAUGES = {
  gw_spool_bytes: "Bytes in the spool of a destination that are not delivered yet.",
  gw_spool_segments: "Files in the spool of a destination.",
  gw_spool_oldest_seconds: "Age of the oldest file with undelivered entries.",
  gw_spool_shipper_epoch: "Epoch of the process that ships a destination.",
} as const;

/** What the shipper of one destination counts. */
export class ShipperMetrics {
  readonly #metrics: Metrics;
  readonly #labels: { destination: string };
  readonly #gauges: Record<keyof typeof GAUGES, Gauge>;
  readonly #shipped: Counter;
  readonly #retried: Counter;

  constructor(destination: string, epoch: number, metrics: Metrics) {
    this.#metrics = metrics;
    this.#labels = { destination };
    const gauge = (name: keyof typeof GAUGES) => metrics.gauge(name, GAUGES[name], this.#labels);
    this.#gauges = {
      gw_spool_bytes: gauge("gw_spool_bytes"),
      gw_spool_segments: gauge("gw_spool_segments"),
      gw_spool_oldest_seconds: gauge("gw_spool_oldest_seconds"),
      gw_spool_shipper_epoch: gauge("gw_spool_shipper_epoch"),
    };
    this.#gauges.gw_spool_shipper_epoch.set(epoch);
    const counter = (name: string, help: string) => metrics.counter(name, help, this.#labels);
    this.#shipped = counter(
      "gw_spool_entries_shipped_total",
      "Spooled log entries that the destination has.",
    );
    this.#retried = counter(
      "gw_spool_batches_retried_total",
      "Tries to send a batch of the spool that failed.",
    );
  }

  look(segments: readonly Segment[], delivered: (segment: Segment) => number): void {
    const open = segments.filter((segment) => segment.bytes > delivered(segment));
    this.#gauges.gw_spool_segments.set(segments.length);
    this.#gauges.gw_spool_bytes.set(
      open.reduce((sum, segment) => sum + segment.bytes - delivered(segment), 0),
    );
    const born = open.map(({ file }) => statSync(file, { throwIfNoEntry: false })?.birthtimeMs ?? Date.now());
    this.#gauges.gw_spool_oldest_seconds.set(
      born.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...born)) / 1_000),
    );
  }

  shipped(count: number): void {
    this.#shipped.add(count);
  }

  retried(): void {
    this.#retried.add(1);
  }

  refused(count: number): void {
    if (count > 0) this.#dropped("refused", count);
  }

  /** Places that could not be read; each stands for an entry at least. */
  damaged(places: number): void {
    this.#dropped("damaged", places);
  }

  close(): void {
    for (const name of Object.keys(GAUGES)) this.#metrics.forget(name, this.#labels);
  }

  #dropped(reason: string, count: number): void {
    droppedCounter(this.#metrics, this.#labels.destination, reason).add(count);
  }
}
