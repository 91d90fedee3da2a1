import {
  type BatchSettings,
  type LogEntry,
  type PushResult,
  SendError,
  type Sink,
} from "../../abi/delivery.js";
import type { ResourceContext } from "../../abi/resource.js";
import { flattenRope } from "../../abi/text/bytes.js";
import { type DeliveryFailure, failed, recovered } from "../delivered.js";
import { BatchReport } from "./batch-report.js";
import { type Clock, systemClock, waitWithin } from "./clock.js";
import { bytesOf, type DropReason, LogMetrics, type RouteSeries } from "./log-metrics.js";

/** Maximum entries of a batch if `batch_max_size` is 1: entries that arrive during a delivery form one. */
const UNBUFFERED_BATCH = 1_000;
/** Size in bytes that sends a batch, and its maximum: 1000 records with bodies would be half a gigabyte. */
const BATCH_BYTES = 4_194_304;
/** Timeout in ms for closing the sink after the drain deadline. */
const CLOSE_MS = 1_000;

const TAKEN: PushResult = { ok: true };
const OVERFLOW: PushResult = { ok: false, error: "buffer overflow" };

/** Entries in order, with the series of their route and their time of arrival. */
class Entries {
  readonly entries: LogEntry[] = [];
  readonly series: RouteSeries[] = [];
  readonly times: number[] = [];
  bytes = 0;

  get length(): number {
    return this.entries.length;
  }

  add(entry: LogEntry, series: RouteSeries, time: number): void {
    this.entries.push(entry);
    this.series.push(series);
    this.times.push(time);
    this.bytes += bytesOf(entry);
  }

  append(more: Entries): void {
    for (const [i, entry] of more.entries.entries())
      this.add(entry, more.series[i] as RouteSeries, more.times[i] as number);
  }

  byRoute(use: (series: RouteSeries, count: number, bytes: number) => void): void {
    let first = 0;
    let bytes = 0;
    for (let i = 0; i < this.length; i++) {
      bytes += bytesOf(this.entries[i] as LogEntry);
      if (this.series[i + 1] === this.series[i]) continue;
      use(this.series[i] as RouteSeries, i + 1 - first, bytes);
      first = i + 1;
      bytes = 0;
    }
  }
}

/** Counters of entries: each pushed entry is counted in exactly one of the others. */
export interface BatchCounts {
  readonly pushed: number;
  readonly sent: number;
  readonly pending: number;
  readonly dropped: number;
  /** Bytes of pending entries. */
  readonly pendingBytes: number;
}

/**
 * Sends batches (spec "Batch processor result", reference section 7) at `batchMaxSize` entries, at 4 MiB, or
 * `inactiveTimeout` after the first entry (`bufferDuration` if shorter). One is in flight at a time, which
 * keeps the order. Pending entries and bytes, also in flight, are limited; an entry above is discarded.
 */
export class BatchProcessor {
  readonly metrics: LogMetrics;
  readonly #settings: BatchSettings;
  readonly #sink: Sink;
  readonly #clock: Clock;
  readonly #report: BatchReport;
  readonly #intervalMs: number;
  readonly #mostEntries: number;
  readonly #batchBytes: number;
  #maxPendingEntries: number;
  #waiting = new Entries();
  #flight: Entries | undefined = undefined;
  /** The last failed attempt, kept after a success. */
  failure: DeliveryFailure | undefined = undefined;
  #retries = 0;
  #pushed = 0;
  #sent = 0;
  #dropped = 0;
  #overflowed = 0;
  #pendingBytes = 0;
  #draining: Promise<void> | undefined = undefined;
  #closed = false;
  #cancelTimer: (() => void) | undefined = undefined;
  #onEmpty: (() => void) | undefined = undefined;

  constructor(
    settings: BatchSettings,
    sink: Sink,
    { report, metrics }: Pick<ResourceContext, "report" | "metrics">,
    clock: Clock = systemClock,
  ) {
    this.#settings = settings;
    this.#sink = sink;
    this.#clock = clock;
    this.#report = new BatchReport(settings.name, report, clock);
    this.metrics = new LogMetrics(metrics, settings.name, clock);
    this.#intervalMs = Math.min(settings.inactiveTimeout, settings.bufferDuration) * 1_000;
    this.#mostEntries = settings.batchMaxSize === 1 ? UNBUFFERED_BATCH : settings.batchMaxSize;
    // Half of the limit: the other half has room for entries that arrive during a delivery.
    this.#batchBytes = Math.min(BATCH_BYTES, Math.ceil(settings.maxPendingBytes / 2));
    this.#maxPendingEntries = settings.maxPendingEntries;
  }

  get counts(): BatchCounts {
    return {
      pushed: this.#pushed,
      sent: this.#sent,
      pending: this.#pending,
      dropped: this.#dropped,
      pendingBytes: this.#pendingBytes,
    };
  }

  /** Age of the oldest pending entry in ms. */
  get oldestMs(): number | undefined {
    const first = this.#flight?.times[0] ?? this.#waiting.times[0];
    return first === undefined ? undefined : this.#clock.now() - first;
  }

  /** Sets the entry limit (`max_pending_entries` of the plugin's metadata); pending entries above it stay. */
  limit(maxPendingEntries: number | undefined): void {
    this.#maxPendingEntries = maxPendingEntries ?? this.#settings.maxPendingEntries;
  }

  push(entry: LogEntry, series: RouteSeries): PushResult {
    this.#pushed++;
    series.pushed();
    const bytes = bytesOf(entry);
    const full =
      this.#pending >= this.#maxPendingEntries || this.#pendingBytes + bytes > this.#settings.maxPendingBytes;
    if (full || this.#closed) {
      this.#overflow(series, bytes);
      return OVERFLOW;
    }
    const waiting = this.#waiting;
    flattenRope(entry.payload);
    waiting.add(entry, series, this.#clock.now());
    this.#pendingBytes += bytes;
    series.buffered();
    if (this.#flight === undefined && (this.#isFull() || this.#draining !== undefined)) this.#flush();
    else {
      this.metrics.pending(this.#pending, this.#pendingBytes);
      if (this.#flight === undefined && waiting.length === 1) this.#wait();
    }
    return TAKEN;
  }

  /** Sends the remaining entries; after `deadlineMs` it closes the sink and counts the rest as dropped. */
  drain(deadlineMs: number): Promise<void> {
    this.#draining ??= this.#drain(deadlineMs);
    return this.#draining;
  }

  get #pending(): number {
    return this.#waiting.length + (this.#flight?.length ?? 0);
  }

  /** Reports whether a batch is due. A buffer at a limit is due too, whatever `batchMaxSize` is. */
  #isFull(): boolean {
    const { length, bytes } = this.#waiting;
    const most = Math.min(this.#settings.batchMaxSize, this.#maxPendingEntries);
    return length >= most || bytes >= this.#batchBytes;
  }

  /** Sends the next batch if it is due, otherwise arms its timer. */
  #next(): void {
    if (this.#flight !== undefined) return;
    this.metrics.pending(this.#pending, this.#pendingBytes);
    const [first] = this.#waiting.times;
    if (first === undefined) {
      this.#onEmpty?.();
      return;
    }
    const due = this.#draining !== undefined || this.#clock.now() - first >= this.#intervalMs;
    if (due || this.#isFull()) this.#flush();
    else this.#wait();
  }

  #wait(): void {
    const [first] = this.#waiting.times;
    if (first === undefined) return;
    this.#cancelTimer?.();
    const ms = Math.max(0, Math.ceil(first + this.#intervalMs - this.#clock.now()));
    this.#cancelTimer = this.#clock.after(ms, () => this.#next());
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const batch = this.#dequeue();
    batch.byRoute((series, count) => series.unbuffered(count));
    this.#flight = batch;
    this.#retries = 0;
    this.metrics.pending(this.#pending, this.#pendingBytes);
    void this.#send(batch);
  }

  #dequeue(): Entries {
    const [batch, rest] = parted(this.#waiting, this.#mostEntries, this.#bytesOfBatch);
    this.#waiting = rest;
    return batch;
  }

  /** Maximum bytes of the next batch: a slow sink asks for less. */
  get #bytesOfBatch(): number {
    return Math.min(this.#batchBytes, this.#sink.batchBytes ?? Number.POSITIVE_INFINITY);
  }

  async #send(batch: Entries): Promise<void> {
    const started = this.#clock.now();
    let failure: unknown;
    try {
      await this.#sink.send(batch.entries);
      this.failure = recovered(this.failure);
    } catch (error) {
      failure = error ?? new Error("the sink gave no reason");
      this.failure = failed(failure);
    }
    // The drain deadline passed meanwhile, and these entries are already counted as dropped.
    if (this.#flight !== batch) return;
    this.metrics.flushed(this.#clock.now() - started);
    if (failure === undefined) {
      this.#flight = undefined;
      this.#delivered(batch);
      this.#next();
    } else this.#failed(batch, failure);
  }

  #delivered(batch: Entries): void {
    this.#sent += batch.length;
    this.#pendingBytes -= batch.bytes;
    batch.byRoute((series, count, bytes) => series.sent(count, bytes));
  }

  #drop(batch: Entries, reason: DropReason): void {
    this.#dropped += batch.length;
    this.#pendingBytes -= batch.bytes;
    batch.byRoute((series, count) => series.dropped(count, reason));
  }

  #failed(batch: Entries, failure: unknown): void {
    const { delivered, refused, rest } = sorted(batch, failure);
    const reason = failure instanceof Error ? failure.message : String(failure);
    this.#delivered(delivered);
    this.#drop(refused, "refused");
    rest.byRoute((series, count) => series.failed(count));
    this.#flight = rest.length === 0 ? undefined : rest;
    if (refused.length > 0) this.#report.refused(refused.length, reason);
    if (rest.length === 0) this.#next();
    else {
      this.#report.failed(rest.length, batch.length, reason);
      this.#retry(rest, refused.length > 0);
    }
  }

  /** Retries a batch. An attempt that found refused entries is free: the others may pass without them. */
  #retry(rest: Entries, free: boolean): void {
    this.metrics.pending(this.#pending, this.#pendingBytes);
    const { maxRetryCount, retryDelay } = this.#settings;
    // Closed: the drain that closed it counts the entries as dropped.
    if (this.#closed) return;
    if (free) this.#requeue(this.#lessOf(rest), 0);
    else if (++this.#retries <= maxRetryCount) this.#requeue(this.#lessOf(rest), retryDelay * 1_000);
    else {
      this.#flight = undefined;
      this.#drop(rest, "max_retry_count");
      this.#report.dropped(rest.length, maxRetryCount);
      this.#next();
    }
  }

  /** Reduces a failed batch to the bytes that a slow sink asks for; the rest returns to the buffer. */
  #lessOf(batch: Entries): Entries {
    const [first, rest] = parted(batch, batch.length, this.#bytesOfBatch);
    if (rest.length === 0) return batch;
    rest.byRoute((series, count) => series.rebuffered(count));
    rest.append(this.#waiting);
    this.#waiting = rest;
    this.#flight = first;
    return first;
  }

  #requeue(rest: Entries, delayMs: number): void {
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      rest.byRoute((series, count) => series.retried(count));
      void this.#send(rest);
    });
  }

  #overflow(series: RouteSeries, bytes: number): void {
    this.#dropped++;
    if (this.#closed) {
      series.dropped(1, "drain_deadline");
      return;
    }
    this.#overflowed++;
    series.dropped(1, "buffer_overflow");
    this.#report.overflow({
      pushed: this.#pushed,
      processed: this.#sent + this.#dropped,
      discarded: this.#overflowed,
      limit:
        this.#pending >= this.#maxPendingEntries
          ? { name: "max_pending_entries", value: this.#maxPendingEntries }
          : {
              name: "max_pending_bytes",
              value: this.#settings.maxPendingBytes,
              held: this.#pendingBytes,
              bytes,
            },
    });
  }

  async #drain(deadlineMs: number): Promise<void> {
    // Continues in a microtask, so that `#draining` is set for what follows.
    await Promise.resolve();
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    this.#next();
    await waitWithin(empty, deadlineMs, this.#clock);
    this.#onEmpty = undefined;
    this.#closed = true;
    // The sink tells the batch in flight how far it got.
    await waitWithin(this.#sink.close(), CLOSE_MS, this.#clock);
    this.#cancelTimer?.();
    this.#abandon();
    this.metrics.close();
  }

  #abandon(): void {
    const left = this.#pending;
    if (left === 0) return;
    const batches = [this.#flight ?? new Entries(), this.#waiting];
    this.#waiting.byRoute((series, count) => series.unbuffered(count));
    this.#flight = undefined;
    this.#waiting = new Entries();
    for (const batch of batches) this.#drop(batch, "drain_deadline");
    this.metrics.pending(0, 0);
    this.#report.abandoned(left);
  }
}

/** Splits off the first entries: at most `most` entries and `mostBytes` bytes, but at least one entry. */
function parted(all: Entries, most: number, mostBytes: number): [first: Entries, rest: Entries] {
  if (all.length <= most && all.bytes <= mostBytes) return [all, new Entries()];
  const [first, rest] = [new Entries(), new Entries()];
  for (const [i, entry] of all.entries.entries()) {
    const fits = first.length < most && first.bytes + bytesOf(entry) <= mostBytes;
    const into = rest.length === 0 && (first.length === 0 || fits) ? first : rest;
    into.add(entry, all.series[i] as RouteSeries, all.times[i] as number);
  }
  return [first, rest];
}

function sorted(batch: Entries, failure: unknown): { delivered: Entries; refused: Entries; rest: Entries } {
  const known = failure instanceof SendError ? failure : new SendError("");
  const never = new Set(known.refused);
  const [delivered, refused, rest] = [new Entries(), new Entries(), new Entries()];
  for (const [i, entry] of batch.entries.entries()) {
    const into = never.has(i) ? refused : i < known.delivered ? delivered : rest;
    into.add(entry, batch.series[i] as RouteSeries, batch.times[i] as number);
  }
  return { delivered, refused, rest };
}
