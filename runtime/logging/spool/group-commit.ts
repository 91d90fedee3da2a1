import type { LogEntry } from "../../abi/delivery.js";
import { messageOf } from "../../abi/error-message.js";
import type { Counter, Gauge } from "../../abi/metrics.js";
import type { ResourceContext } from "../../abi/resource.js";
import { bytesOf } from "../batch/log-metrics.js";
import type { SpoolSettings } from "../logger-settings.js";
import { frameSize } from "./frame.js";
import { labelsOf } from "./layout.js";
import { addTo, type Group, type OpenSegment, SegmentWriter } from "./segment-writer.js";
import { amountsOf, droppedCounter, PendingGauges } from "./spool-metrics.js";
import { type DiskUse, SpoolQuota } from "./spool-quota.js";
import { wake } from "./wakeup.js";
import { closeWriter, nameWriter } from "./writer-name.js";

/** Gathering time in ms of entries without a waiting response; a crash loses 10 ms in all on a shared processor. */
const GROUP_MS = 4;
/** Size of a segment, the unit of "drop_oldest" and of deletion: small against any sensible limit. */
const SEGMENT_BYTES = 16 * 1_048_576;
/** Minimum number of segments within the limit of a destination. */
const SEGMENTS = 16;
/** Maximum bytes of entries in memory that wait for the disk; above it the disk is too slow for the records. */
const WAITING_BYTES = 64 * 1_048_576;
/** Time in ms for which a failed write refuses further entries at once. */
const PAUSE_MS = 250;
/** Bytes that must be free before a request may begin: requests in flight need some room too. */
const RESERVE_BYTES = 1_048_576;

export class SpoolFullError extends Error {
  override readonly name = "SpoolFullError";
}

interface Waiting extends Group {
  settled: { resolve: () => void; reject: (error: unknown) => void }[];
}

const waiting = (): Waiting => ({ entries: [], bytes: 0, settled: [] });

/**
 * One write and one flush make a group durable, while the next group gathers. A flush may outlast the
 * process: entries without a waiting response are written behind it after `GROUP_MS`, for the next flush.
 */
export class GroupCommit {
  /** Set in worker 0 only. */
  readonly #bound: Gauge | undefined;
  readonly #folder: string;
  readonly #writer: string;
  readonly #pending: PendingGauges;
  readonly #segments: SegmentWriter;
  readonly #room: SpoolQuota;
  readonly #report: ResourceContext["report"];
  readonly #appended: Counter;
  readonly #bytes: Gauge;
  readonly #drops: { full: Counter; disk: Counter };
  readonly #forget: () => void;
  readonly #most: number;
  #next = waiting();
  /** Groups that are written but not flushed, in the order of the segments. */
  #written: { group: Waiting; segment: OpenSegment }[] = [];
  /** Bytes of all entries that are not settled. */
  #reservedBytes = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  #immediate: NodeJS.Immediate | undefined = undefined;
  #committing: Promise<void> | undefined = undefined;
  /** End of the last write: keeps entries in the order of their arrival. */
  #lane: Promise<void> = Promise.resolve();
  #pausedUntil = 0;
  #leaving = false;
  /** The smaller one of the destination's limit and that of all spools. */
  #maxBytes: number;

  constructor(folder: string, options: SpoolSettings, context: ResourceContext, describe: () => void) {
    const { metrics, report, worker } = context;
    const labels = labelsOf(folder);
    this.#writer = nameWriter(worker);
    this.#most = context.spoolMaxBytes ?? Number.POSITIVE_INFINITY;
    this.#maxBytes = Math.min(options.maxBytes, this.#most);
    const segmentBytes = Math.min(SEGMENT_BYTES, Math.ceil(this.#maxBytes / SEGMENTS));
    this.#segments = new SegmentWriter(folder, this.#writer, segmentBytes, describe);
    this.#room = new SpoolQuota(folder, options, context);
    this.#report = report;
    const appended = "gw_spool_entries_appended_total";
    this.#appended = metrics.counter(appended, "Log entries written to disk.", labels);
    const bytes = "gw_spool_waiting_bytes";
    this.#bytes = metrics.gauge(bytes, "Bytes of log entries that are queued for the disk.", labels);
    const bound = "gw_spool_max_bytes";
    // Gauges of workers are added up, and all workers have the same limit.
    if (worker === 0) this.#bound = metrics.gauge(bound, "Maximum size of the spool in bytes.", labels);
    this.#bound?.set(this.#maxBytes);
    this.#forget = () => {
      metrics.forget(bytes, labels);
      metrics.forget(bound, labels);
    };
    this.#drops = {
      full: droppedCounter(metrics, labels, "full"),
      disk: droppedCounter(metrics, labels, "disk"),
    };
    this.#folder = folder;
    this.#pending = new PendingGauges(metrics);
  }

  use(options: SpoolSettings): void {
    this.#maxBytes = Math.min(options.maxBytes, this.#most);
    this.#bound?.set(this.#maxBytes);
    this.#room.use(options);
  }

  /** Reports whether a request may begin whose response waits for its record: those in flight need some room too. */
  admits(): boolean {
    const reserve = Math.min(RESERVE_BYTES, this.#maxBytes / SEGMENTS);
    return this.#refusal(reserve, "begin") === undefined;
  }

  append(entry: LogEntry, awaited: boolean): Promise<void> {
    const size = frameSize(entry);
    const refusal = this.#refusal(size, awaited ? "awaited" : "log");
    if (refusal !== undefined) {
      this.#drops.full.add(1);
      return Promise.reject(new SpoolFullError(refusal));
    }
    const group = this.#next;
    addTo(group, entry);
    this.#reservedBytes += size;
    this.#room.taken(size);
    this.#pending.add(entry.origin ?? "", 1, bytesOf(entry));
    this.#schedule(awaited);
    return new Promise((resolve, reject) => group.settled.push({ resolve, reject }));
  }

  /** Resolves when all appended entries are on disk or refused. */
  async flush(): Promise<void> {
    while (this.#reservedBytes > 0) {
      this.#start();
      await this.#committing;
    }
  }

  async close(): Promise<void> {
    await this.flush();
    this.#room.close();
    await this.#segments.close();
    closeWriter(this.#writer);
    this.#forget();
    this.#pending.close();
    // The shipper can now remove fully delivered segments.
    wake(this.#folder);
  }

  #refusal(size: number, use: DiskUse): string | undefined {
    if (performance.now() < this.#pausedUntil) return "the disk rejected the last entries";
    if (this.#reservedBytes + size > WAITING_BYTES) return "the disk is too slow for the entries";
    if (!this.#room.spares(size, use)) {
      this.#leaveSegment();
      return "the rest of the disk is reserved";
    }
    return this.#room.admits(size) ? undefined : "the spool is full";
  }

  /** Begins the next segment: delivered entries take room until their writer leaves the segment. */
  #leaveSegment(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    const again = () => {
      this.#leaving = false;
    };
    this.#lane = this.#lane
      .then(() => this.#segments.next())
      .catch(() => {})
      .finally(() => setTimeout(again, PAUSE_MS).unref());
  }

  #schedule(awaited: boolean): void {
    if (this.#immediate !== undefined) return;
    if (!awaited) this.#timer ??= setTimeout(() => this.#due(), GROUP_MS);
    // Includes entries that end in this turn of the event loop; those that come during a flush gather for the next.
    else if (this.#committing === undefined) this.#immediate = setImmediate(() => this.#start());
  }

  #due(): void {
    this.#timer = undefined;
    if (this.#committing === undefined) this.#start();
    else void this.#put(this.#dequeue());
  }

  #start(): void {
    if (this.#committing !== undefined || this.#reservedBytes === 0) return;
    this.#committing = this.#commit(this.#dequeue()).finally(() => {
      this.#committing = undefined;
      this.#start();
    });
  }

  #dequeue(): Waiting {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
    const group = this.#next;
    this.#next = waiting();
    return group;
  }

  /** Writes a group; never rejects, but refuses entries that cannot be written. */
  #put(group: Waiting): Promise<void> {
    this.#bytes.set(this.#reservedBytes);
    if (group.entries.length > 0) {
      this.#lane = this.#lane.then(async () => {
        try {
          this.#written.push({ group, segment: await this.#segments.write(group) });
          this.#leavePending(group);
          wake(this.#folder);
        } catch (error) {
          this.#leavePending(group);
          this.#refuse(group, error);
        }
      });
    }
    return this.#lane;
  }

  /** Takes entries out of the gauges: they are in the file, and so counted there, or refused. */
  #leavePending({ entries }: Waiting): void {
    for (const [origin, { entries: count, bytes }] of amountsOf(entries))
      this.#pending.add(origin, -count, -bytes);
  }

  async #commit(group: Waiting): Promise<void> {
    await this.#put(group);
    const written = this.#written;
    this.#written = [];
    for (const segment of new Set(written.map((one) => one.segment))) {
      const groups = written.filter((one) => one.segment === segment).map((one) => one.group);
      try {
        const named = await this.#segments.sync(segment);
        // A segment that was removed while open loses its entries; so the next one receives the groups.
        for (const one of groups) named ? this.#settle(one) : await this.#putAgain(one);
      } catch (error) {
        for (const one of groups) this.#refuse(one, error);
      }
      for (const _ of groups) await this.#segments.release(segment);
    }
  }

  #putAgain(group: Waiting): Promise<void> {
    for (const [origin, { entries, bytes }] of amountsOf(group.entries))
      this.#pending.add(origin, entries, bytes);
    return this.#put(group);
  }

  #settle({ entries, bytes, settled }: Waiting): void {
    this.#leave(bytes, true);
    this.#appended.add(entries.length);
    for (const { resolve } of settled) resolve();
  }

  #refuse({ entries, bytes, settled }: Waiting, error: unknown): void {
    this.#pausedUntil = performance.now() + PAUSE_MS;
    this.#leave(bytes, false);
    this.#drops.disk.add(entries.length);
    const message = messageOf(error);
    this.#report("spool_write_failed", { entries: entries.length, message });
    for (const { reject } of settled) reject(error);
  }

  #leave(bytes: number, durable: boolean): void {
    this.#reservedBytes -= bytes;
    this.#bytes.set(this.#reservedBytes);
    this.#room.settled(bytes, durable);
  }
}
