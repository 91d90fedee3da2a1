import type { LogEntry } from "../../abi/delivery.js";
import type { Counter, Metrics } from "../../abi/metrics.js";
import type { LossReason } from "../batch/log-metrics.js";
import { LOG_HELP, type LogCounter, readOrigin } from "../batch/log-metrics.js";
import type { EntryCounts } from "./segment-counts.js";

/** Limit of cached entry sources; there are as many as routes. */
const MAX_ORIGINS = 4_096;

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

  #add(name: LogCounter, origin: string, count: number, reason?: LossReason): void {
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
  for (const entry of entries) {
    const { origin = "" } = entry;
    const known = amounts.get(origin);
    const bytes = bytesOf(entry);
    if (known === undefined) amounts.set(origin, { entries: 1, bytes });
    else {
      known.entries++;
      known.bytes += bytes;
    }
  }
  return amounts;
}

export const bytesOf = ({ payload, key }: LogEntry): number => payload.length + (key?.length ?? 0);
