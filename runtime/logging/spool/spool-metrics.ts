import type { LogEntry } from "../../abi/delivery.js";
import type { Counter, Gauge, Metrics } from "../../abi/metrics.js";
import {
  bytesOf,
  LOG_HELP,
  type LogMetric,
  type LossReason,
  readOrigin,
  SharedGauge,
} from "../batch/log-metrics.js";
import type { DestinationLabels } from "./layout.js";
import { addAmount, type EntryCounts, entriesIn } from "./segment-counts.js";

/** Limit of cached entry sources; there are as many as routes. */
const MAX_ORIGINS = 4_096;

export function droppedCounter(metrics: Metrics, labels: DestinationLabels, reason: LossReason): Counter {
  const help = "Log entries that the spool rejected or dropped, by reason.";
  return metrics.counter("gw_spool_entries_dropped_total", help, { ...labels, reason });
}

export class ShipperMetrics {
  readonly #metrics: Metrics;
  readonly #labels: DestinationLabels;
  readonly #account: DeliveryCounters;
  readonly #epoch: Gauge;
  readonly #shipped: Counter;
  readonly #retried: Counter;
  /** Counts since the start of the shipper, for the command that drains a spool. */
  readonly totals = { delivered: 0, refused: 0, damaged: 0 };

  constructor(labels: DestinationLabels, epoch: number, metrics: Metrics) {
    this.#metrics = metrics;
    this.#labels = labels;
    this.#account = new DeliveryCounters(metrics);
    const help = "Epoch of the process that delivers to a destination.";
    this.#epoch = metrics.gauge("gw_spool_shipper_epoch", help, labels);
    this.#epoch.set(epoch);
    const counter = (name: string, help: string) => metrics.counter(name, help, labels);
    this.#shipped = counter(
      "gw_spool_entries_shipped_total",
      "Spooled log entries delivered to the destination.",
    );
    this.#retried = counter(
      "gw_spool_batches_retried_total",
      "Failed delivery attempts of batches of the spool.",
    );
  }

  shipped(entries: readonly LogEntry[]): void {
    this.totals.delivered += entries.length;
    this.#shipped.add(entries.length);
    this.#account.sent(entries);
  }

  failed(entries: readonly LogEntry[]): void {
    this.#retried.add(1);
    this.#account.failed(entries);
  }

  refused(entries: readonly LogEntry[]): void {
    this.totals.refused += entries.length;
    this.#dropped("refused", amountsOf(entries));
  }

  /** Counts unreadable entries, for the entry source of those that were read around them. */
  damaged(count: number, neighbours: readonly LogEntry[]): void {
    this.totals.damaged += count;
    const amounts = new Map<string, EntryCounts>();
    addAmount(amounts, neighbours[0]?.origin ?? "", count, 0);
    this.#dropped("damaged", amounts);
  }

  recovered(amounts: ReadonlyMap<string, EntryCounts>): void {
    this.#account.recovered(amounts);
  }

  close(): void {
    this.#metrics.forget("gw_spool_shipper_epoch", this.#labels);
  }

  #dropped(reason: LossReason, amounts: ReadonlyMap<string, EntryCounts>): void {
    const count = entriesIn(amounts);
    if (count === 0) return;
    droppedCounter(this.#metrics, this.#labels, reason).add(count);
    this.#account.dropped(amounts, reason);
  }
}

/** Uses the counters of loggers without a spool: pushed + recovered = sent + pending + dropped. */
export class DeliveryCounters {
  readonly #metrics: Metrics;
  readonly #counters = new Map<string, Counter>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  sent(entries: readonly LogEntry[]): void {
    for (const [origin, { entries: count, bytes }] of amountsOf(entries)) {
      this.#add("gw_log_entries_sent_total", origin, count);
      this.#add("gw_log_bytes_sent_total", origin, bytes);
    }
  }

  failed(entries: readonly LogEntry[]): void {
    for (const [origin, amount] of amountsOf(entries))
      this.#add("gw_log_entries_failed_total", origin, amount.entries);
  }

  dropped(amounts: ReadonlyMap<string, EntryCounts>, reason: LossReason): void {
    for (const [origin, { entries }] of amounts)
      if (entries > 0) this.#add("gw_log_entries_dropped_total", origin, entries, reason);
  }

  /** Counts entries that were in the spool when the gateway started. */
  recovered(amounts: ReadonlyMap<string, EntryCounts>): void {
    for (const [origin, { entries }] of amounts)
      if (entries > 0) this.#add("gw_log_entries_recovered_total", origin, entries);
  }

  #add(name: LogMetric, origin: string, count: number, reason?: LossReason): void {
    const key = `${name} ${reason ?? ""} ${origin}`;
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      const { name: logger, routeId } = readOrigin(origin);
      const labels = { name: logger, route_id: routeId, ...(reason && { reason }) };
      counter = this.#metrics.counter(name, LOG_HELP[name], labels);
      if (this.#counters.size >= MAX_ORIGINS) this.#counters.clear();
      this.#counters.set(key, counter);
    }
    counter.add(count);
  }
}

export function amountsOf(entries: readonly LogEntry[]): Map<string, EntryCounts> {
  const amounts = new Map<string, EntryCounts>();
  for (const entry of entries) addAmount(amounts, entry.origin ?? "", 1, bytesOf(entry));
  return amounts;
}

interface Level extends EntryCounts {
  entriesGauge: SharedGauge;
  bytesGauge: SharedGauge;
}

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
      level = {
        entries: 0,
        bytes: 0,
        entriesGauge: new SharedGauge(this.#metrics, "gw_log_pending_entries", { name }),
        bytesGauge: new SharedGauge(this.#metrics, "gw_log_pending_bytes", { name }),
      };
      this.#levels.set(name, level);
    }
    if (this.#byOrigin.size >= MAX_ORIGINS) this.#byOrigin.clear();
    this.#byOrigin.set(origin, level);
    return level;
  }
}
