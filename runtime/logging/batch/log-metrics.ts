import type { LogEntry } from "../../abi/delivery.js";
import type { Counter, Gauge, Histogram, Labels, Metrics } from "../../abi/metrics.js";
import type { Clock } from "./clock.js";
export type DropReason =
  /** The batch processor reached its limit of entries or bytes (spec: "buffer overflow"). */
  | "buffer_overflow"
  /** Every delivery attempt of its batch failed. */
  | "max_retry_count"
  /** The destination never accepts it: too large, or refused for good. */
  | "refused"
  /** Undelivered when the process or the configuration ended. */
  | "drain_deadline"
  /** Loss of an entry in a spool. */
  | LossReason;

export const LOG_HELP = {
  gw_batch_process_entries: "Log entries in the buffer of a batch processor.",
  gw_log_entries_pushed_total: "Log entries made by a logger.",
  gw_log_entries_sent_total: "Log entries delivered to the destination.",
  gw_log_entries_spooled_total: "Log entries written to disk for delivery by the shipper.",
  gw_log_entries_recovered_total: "Log entries that were in a spool at the start of the gateway.",
  gw_log_entries_failed_total: "Log entries in failed delivery attempts, counted once for each attempt.",
  gw_log_entries_retried_total: "Log entries sent again, counted once for each attempt after the first.",
  gw_log_entries_dropped_total: "Log entries that were not delivered, by reason.",
  gw_log_bytes_sent_total: "Bytes of the log entries delivered to the destination.",
  gw_log_pending_entries:
    "Log entries that are neither sent nor dropped: in memory, or with delivery: durable in the spool.",
  gw_log_pending_bytes: "Bytes of these log entries.",
  gw_log_flush_seconds: "Duration of one delivery attempt of a batch.",
} as const;

export type LogMetric = keyof typeof LOG_HELP;

/** Upper bounds in seconds: a local server takes about a millisecond; timeouts of sinks are seconds. */
const FLUSH_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Interval in ms between sweeps, and sweeps until a series without entries is removed: 30 minutes in all. */
const SWEEP_MS = 300_000;
const SWEEPS = 6;

/** Counters of one route in one batch processor: handles, so that the data path only adds numbers. */
export class RouteSeries {
  /** Sweeps since the last entry. */
  idleSweeps = 0;
  /** Entry source, as entries in a spool name it. */
  readonly origin: string;
  readonly #metrics: Metrics;
  readonly #labels: Labels;
  readonly #gaugeLabels: Labels;
  readonly #pushed: Counter;
  #buffered: SharedGauge | undefined;
  readonly #sent: Counter;
  readonly #bytes: Counter;
  readonly #dropped = new Map<DropReason, Counter>();
  #waiting = 0;

  constructor(metrics: Metrics, name: string, routeId: string, serverAddr: string) {
    this.#metrics = metrics;
    this.origin = entryOrigin(name, routeId);
    this.#labels = { name, route_id: routeId };
    this.#gaugeLabels = { name, route_id: routeId, server_addr: serverAddr };
    this.#pushed = this.#counter("gw_log_entries_pushed_total");
    this.#sent = this.#counter("gw_log_entries_sent_total");
    this.#bytes = this.#counter("gw_log_bytes_sent_total");
  }

  pushed(): void {
    this.idleSweeps = 0;
    this.#pushed.add(1);
  }

  buffered(): void {
    this.#buffered ??= new SharedGauge(this.#metrics, "gw_batch_process_entries", this.#gaugeLabels);
    this.#buffered.set(++this.#waiting);
  }

  unbuffered(count: number): void {
    this.#waiting -= count;
    this.#buffered?.set(this.#waiting);
  }

  rebuffered(count: number): void {
    this.unbuffered(-count);
  }

  get waiting(): number {
    return this.#waiting;
  }

  sent(count: number, bytes: number): void {
    this.#sent.add(count);
    this.#bytes.add(bytes);
  }

  spooled(): void {
    this.#counter("gw_log_entries_spooled_total").add(1);
  }

  failed(count: number): void {
    this.#counter("gw_log_entries_failed_total").add(count);
  }

  retried(count: number): void {
    this.#counter("gw_log_entries_retried_total").add(count);
  }

  dropped(count: number, reason: DropReason): void {
    let counter = this.#dropped.get(reason);
    if (counter === undefined) {
      const name = "gw_log_entries_dropped_total";
      counter = this.#metrics.counter(name, LOG_HELP[name], { ...this.#labels, reason });
      this.#dropped.set(reason, counter);
    }
    counter.add(count);
  }

  forget(): void {
    this.#buffered?.release();
    this.#buffered = undefined;
  }

  #counter(name: LogMetric): Counter {
    return this.#metrics.counter(name, LOG_HELP[name], this.#labels);
  }
}

/** Metrics of one batch processor or spool writer, by the routes of their entries. */
export class LogMetrics {
  readonly #metrics: Metrics;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #series = new Map<string, RouteSeries>();
  readonly #pendingEntries: SharedGauge;
  readonly #pendingBytes: SharedGauge;
  readonly #flush: Histogram;
  #lastRoute: string | undefined = undefined;
  #lastServer = "";
  #last: RouteSeries | undefined = undefined;
  #cancelSweep: () => void = () => {};

  constructor(metrics: Metrics, name: string, clock: Clock) {
    this.#metrics = metrics;
    this.#name = name;
    this.#clock = clock;
    this.#pendingEntries = new SharedGauge(metrics, "gw_log_pending_entries", { name });
    this.#pendingBytes = new SharedGauge(metrics, "gw_log_pending_bytes", { name });
    this.#flush = metrics.histogram(
      "gw_log_flush_seconds",
      LOG_HELP.gw_log_flush_seconds,
      { name },
      FLUSH_BUCKETS,
    );
    this.#sweepLater();
  }

  /** Returns the series of the route that made an entry; "": no route. */
  of(routeId: string | undefined, serverAddr: string): RouteSeries {
    if (this.#last !== undefined && routeId === this.#lastRoute && serverAddr === this.#lastServer)
      return this.#last;
    const key = `${routeId ?? ""} ${serverAddr}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = new RouteSeries(this.#metrics, this.#name, routeId ?? "", serverAddr);
      this.#series.set(key, series);
    }
    this.#lastRoute = routeId;
    this.#lastServer = serverAddr;
    this.#last = series;
    return series;
  }

  pending(entries: number, bytes: number): void {
    this.#pendingEntries.set(entries);
    this.#pendingBytes.set(bytes);
  }

  flushed(ms: number): void {
    this.#flush.observe(ms / 1_000);
  }

  close(): void {
    this.#cancelSweep();
    this.#pendingEntries.release();
    this.#pendingBytes.release();
    for (const series of this.#series.values()) series.forget();
    this.#series.clear();
    this.#last = undefined;
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#clock.after(SWEEP_MS, () => {
      for (const [key, series] of this.#series) {
        if (series.waiting > 0 || ++series.idleSweeps <= SWEEPS) continue;
        series.forget();
        this.#series.delete(key);
        if (this.#last === series) this.#last = undefined;
      }
      this.#sweepLater();
    });
  }
}

/** Loss of an entry in a spool: `reason` of `gw_log_entries_dropped_total` and `gw_spool_entries_dropped_total`. */
export type LossReason =
  /** The spool did not take it: its limit, or the disk. */
  | "full"
  | "disk"
  /** The spool dropped it for newer entries. */
  | "drop_oldest"
  | "refused"
  /** The spool could not read it any more. */
  | "damaged";

/** Bytes of an entry in metrics and limits. */
export const bytesOf = ({ payload, key }: LogEntry): number => payload.length + (key?.length ?? 0);

/** Returns the entry source that a spool stores: the logger's name and the route, as a byte string. */
export function entryOrigin(name: string, routeId: string): string {
  return Buffer.from(`${name}\0${routeId}`).toString("latin1");
}

/** Parses an entry source. Entries of version 0.1 have none: both parts are "". */
export function readOrigin(origin: string): { name: string; routeId: string } {
  const [name = "", routeId = ""] = Buffer.from(origin, "latin1").toString().split("\0");
  return { name, routeId };
}

interface Level {
  readonly gauge: Gauge;
  value: number;
  users: number;
}

/** Levels of a process, by metric name and labels. */
const levels = new WeakMap<Metrics, Map<string, Level>>();

/** Sum of batch processors with the same labels, as a draining one and its replacement; removed with the last. */
export class SharedGauge {
  readonly #metrics: Metrics;
  readonly #name: LogMetric;
  readonly #labels: Labels;
  readonly #key: string;
  readonly #level: Level;
  #value = 0;
  #released = false;

  constructor(metrics: Metrics, name: LogMetric, labels: Labels) {
    this.#metrics = metrics;
    this.#name = name;
    this.#labels = labels;
    this.#key = JSON.stringify([name, labels]);
    const known = levels.get(metrics) ?? new Map<string, Level>();
    levels.set(metrics, known);
    const gauge = metrics.gauge(name, LOG_HELP[name], labels);
    this.#level = known.get(this.#key) ?? { gauge, value: 0, users: 0 };
    known.set(this.#key, this.#level);
    this.#level.users++;
    this.#level.gauge.set(this.#level.value);
  }

  set(value: number): void {
    if (this.#released) return;
    const level = this.#level;
    level.value += value - this.#value;
    this.#value = value;
    level.gauge.set(level.value);
  }

  release(): void {
    if (this.#released) return;
    this.set(0);
    this.#released = true;
    if (--this.#level.users > 0) return;
    levels.get(this.#metrics)?.delete(this.#key);
    this.#metrics.forget(this.#name, this.#labels);
  }
}
