import type { LogEntry } from "../../abi/delivery.js";
import type { Counter, Gauge, Metrics } from "../../abi/metrics.js";
import type { LossReason } from "../batch/log-metrics.js";
import { amountsOf, DeliveryCounters } from "./delivery-counters.js";
import type { DestinationLabels } from "./layout.js";
import { addAmount, type EntryCounts } from "./segment-counts.js";

const DROPPED = "gw_spool_entries_dropped_total";

export function droppedCounter(metrics: Metrics, labels: DestinationLabels, reason: LossReason): Counter {
  const help = "Log entries that the spool rejected or dropped, by reason.";
  return metrics.counter(DROPPED, help, { ...labels, reason });
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
    let count = 0;
    for (const { entries } of amounts.values()) count += entries;
    if (count === 0) return;
    droppedCounter(this.#metrics, this.#labels, reason).add(count);
    this.#account.dropped(amounts, reason);
  }
}
