import type { BatchSettings, LogEntry, Sink, SpoolWriter } from "../abi/delivery.js";
import { messageOf } from "../abi/error-message.js";
import type { OpenResource, ResourceContext } from "../abi/resource.js";
import { BatchProcessor } from "./batch/batch-processor.js";
import { systemClock, waitWithin } from "./batch/clock.js";
import { LogMetrics, type RouteSeries } from "./batch/log-metrics.js";
import { type DeliveryFailure, failed, type OutputLevels, recovered } from "./delivered.js";
import { SpoolFullError } from "./spool/group-commit.js";

export abstract class LogOutput implements OpenResource {
  abstract readonly metrics: LogMetrics;
  readonly report: ResourceContext["report"];
  /** Records that wait for the decoding of a body. */
  readonly #unfinished = new Set<Promise<unknown>>();

  constructor(report: ResourceContext["report"]) {
    this.report = report;
  }

  /** Queues an entry. Never throws and never waits. */
  abstract take(entry: LogEntry, series: RouteSeries): void;
  /** Resolves when the entry is safe. @throws if it is not */
  abstract append(entry: LogEntry, series: RouteSeries): Promise<void>;
  abstract admits(): boolean;
  levels(): OutputLevels {
    return { entries: 0, bytes: 0, sent: 0, dropped: 0 };
  }

  /** Called once nothing is left to deliver, or the deadline has passed. */
  closed: () => void = () => {};
  /** Sets `max_pending_entries` of the plugin's metadata; undefined: the default. */
  abstract limit(maxPendingEntries: number | undefined): void;
  protected abstract close(deadlineMs: number): Promise<void>;

  /** Registers an entry that is being made: a drain waits for it. */
  expect(making: Promise<unknown>): void {
    this.#unfinished.add(making);
    const done = () => this.#unfinished.delete(making);
    making.then(done, done);
  }

  async drain(deadlineMs: number): Promise<void> {
    const started = systemClock.now();
    if (this.#unfinished.size > 0)
      await waitWithin(Promise.allSettled(this.#unfinished), deadlineMs, systemClock);
    await this.close(Math.max(0, deadlineMs - (systemClock.now() - started)));
    this.closed();
  }
}

export class MemoryLogOutput extends LogOutput {
  readonly metrics: LogMetrics;
  readonly #batch: BatchProcessor;

  constructor(settings: BatchSettings, sink: Sink, context: ResourceContext) {
    super(context.report);
    this.#batch = new BatchProcessor(settings, sink, context);
    this.metrics = this.#batch.metrics;
  }

  take(entry: LogEntry, series: RouteSeries): void {
    // The batch processor counts and reports an entry that does not fit.
    this.#batch.push(entry, series);
  }

  async append(entry: LogEntry, series: RouteSeries): Promise<void> {
    const result = this.#batch.push(entry, series);
    if (!result.ok) throw new Error(result.error);
  }

  admits(): boolean {
    return true;
  }

  override levels(): OutputLevels {
    const { counts, oldestMs, failure } = this.#batch;
    const { pending: entries, pendingBytes: bytes, sent, dropped } = counts;
    return { entries, bytes, sent, dropped, oldestMs, failure };
  }

  limit(maxPendingEntries: number | undefined): void {
    this.#batch.limit(maxPendingEntries);
  }

  protected close(deadlineMs: number): Promise<void> {
    return this.#batch.drain(deadlineMs);
  }
}

/** Output for `delivery: durable`: a shipper sends the entries of the spool. */
export class SpoolLogOutput extends LogOutput {
  readonly metrics: LogMetrics;
  readonly #spool: SpoolWriter;
  #refused: DeliveryFailure | undefined = undefined;

  constructor(name: string, spool: SpoolWriter, context: ResourceContext) {
    super(context.report);
    this.#spool = spool;
    this.metrics = new LogMetrics(context.metrics, name, systemClock);
  }

  take(entry: LogEntry, series: RouteSeries): void {
    this.#append(entry, series, false).catch((error: unknown) =>
      this.report("log_not_spooled", { message: messageOf(error) }),
    );
  }

  append(entry: LogEntry, series: RouteSeries): Promise<void> {
    return this.#append(entry, series, true);
  }

  async #append(entry: LogEntry, series: RouteSeries, awaited: boolean): Promise<void> {
    series.pushed();
    try {
      await this.#spool.append({ ...entry, origin: series.origin }, awaited);
    } catch (error) {
      series.dropped(1, error instanceof SpoolFullError ? "full" : "disk");
      this.#refused = failed(error);
      throw error;
    }
    this.#refused = recovered(this.#refused);
    series.spooled();
  }

  admits(): boolean {
    return this.#spool.admits();
  }

  /** Returns the last refusal; the shipper counts pending and sent entries. */
  override levels(): OutputLevels {
    return { entries: 0, bytes: 0, sent: 0, dropped: 0, failure: this.#refused };
  }

  limit(): void {
    // Bytes on disk limit a spool (`SpoolSettings.maxBytes`), not entries in memory.
  }

  protected async close(deadlineMs: number): Promise<void> {
    await this.#spool.drain(deadlineMs);
    this.metrics.close();
  }
}
