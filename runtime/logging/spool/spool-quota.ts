import { stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Counter } from "../../abi/metrics.js";
import type { ResourceContext } from "../../abi/resource.js";
import type { SpoolSettings } from "../logger-settings.js";
import { deliveredIn } from "./cursor.js";
import { labelsOf, type Segment } from "./layout.js";
import { entriesIn, SegmentCounts } from "./segment-counts.js";
import { DeliveryCounters, droppedCounter } from "./spool-metrics.js";
import { SpoolUsage, type UsageObserver } from "./usage.js";
import { isWriting } from "./writer-name.js";

/** A record without or with a waiting response, or a request that will have one. */
export type DiskUse = "log" | "awaited" | "begin";

/** Bytes of the disk to leave free of records without a waiting response, and the maximum share of its size. */
const RESERVE_BYTES = 67_108_864;
const RESERVE_SHARE = 0.05;

/** Own bytes are counted at once; those of other workers four times a second, so that they can exceed the limit. */
export class SpoolQuota implements UsageObserver {
  readonly folder: string;
  readonly #usage: SpoolUsage;
  readonly #most: number;
  readonly #dropped: Counter;
  readonly #reserve: number;
  readonly #account: DeliveryCounters;
  readonly #report: ResourceContext["report"];
  #options: SpoolSettings;
  #waiting = 0;
  /** Written bytes that the last poll may not have seen. */
  #written = 0;
  #writtenBefore = 0;

  constructor(folder: string, options: SpoolSettings, context: ResourceContext) {
    this.folder = folder;
    this.#options = options;
    this.#most = context.spoolMaxBytes ?? Number.POSITIVE_INFINITY;
    this.#reserve = context.spoolReserveBytes ?? RESERVE_BYTES;
    this.#account = new DeliveryCounters(context.metrics);
    this.#report = context.report;
    this.#dropped = droppedCounter(context.metrics, labelsOf(folder), "drop_oldest");
    this.#usage = SpoolUsage.of(dirname(folder));
    this.#usage.join(this);
  }

  use({ maxBytes, onFull }: SpoolSettings): void {
    this.#options = { maxBytes, onFull };
  }

  /** Lets only awaited records use the reserve; requests begin while half of it is left for those in flight. */
  spares(more: number, use: DiskUse): boolean {
    if (use === "awaited" || (use === "log" && this.#options.onFull === "drop_oldest")) return true;
    if (this.#shortage(use === "log" ? more : 0, use === "log" ? 1 : 0.5) <= 0) return true;
    this.#usage.ask(this);
    return false;
  }

  /** Returns the bytes that are missing in the disk's reserve, or in a part of it. */
  #shortage(more: number, part: number): number {
    const { free, size } = this.#usage.disk;
    return Math.min(this.#reserve, size * RESERVE_SHARE) * part - free + this.#unseenBytes(more);
  }

  #unseenBytes(more: number): number {
    return this.#waiting + this.#written + more;
  }

  admits(more: number): boolean {
    if (this.#excess(more) <= 0) return true;
    this.#usage.ask(this);
    if (this.#options.onFull === "refuse") return false;
    // The oldest segment is removed within moments; a disk that is really full refuses the write itself.
    return true;
  }

  taken(bytes: number): void {
    this.#waiting += bytes;
    this.#usage.ask(this);
  }

  /** Counts bytes that are on disk now, or that the disk refused. */
  settled(bytes: number, written: boolean): void {
    this.#waiting -= bytes;
    if (written) this.#written += bytes;
  }

  close(): void {
    this.#usage.leave(this);
  }

  looking(): void {
    this.#writtenBefore = this.#written;
  }

  async looked(segments: readonly Segment[]): Promise<void> {
    this.#written -= this.#writtenBefore;
    this.#writtenBefore = 0;
    const excess = this.#excess(0);
    if (this.#options.onFull === "drop_oldest" && excess > 0) await this.#dropOldest(segments, excess);
  }

  #excess(more: number): number {
    const own = this.#unseenBytes(more);
    return Math.max(
      this.#usage.of(this.folder) + own - this.#options.maxBytes,
      this.#usage.total + own - this.#most,
      // On a disk with little room left the spool does not grow.
      this.#options.onFull === "drop_oldest" ? Math.min(own, this.#shortage(more, 1)) : 0,
    );
  }

  async #dropOldest(segments: readonly Segment[], excess: number): Promise<void> {
    const closed = segments.filter(
      (one) => !isWriting(one.writer) || segments.some((next) => follows(next, one)),
    );
    const aged = await Promise.all(
      closed.map(async (segment) => ({
        segment,
        at: (await stat(segment.file).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    );
    aged.sort((a, b) => a.at - b.at);
    const delivered = deliveredIn(this.folder);
    let freed = 0;
    for (const { segment } of aged) {
      if (freed >= excess) break;
      freed += segment.bytes;
      await this.#drop(segment, delivered(segment));
    }
  }

  async #drop(segment: Segment, delivered: number): Promise<void> {
    const tally = new SegmentCounts(segment.file, delivered);
    await tally.read();
    const entries = entriesIn(tally.amounts);
    try {
      await unlink(join(this.folder, basename(segment.file)));
    } catch {
      // Another worker has dropped it, or the shipper has delivered it.
      return;
    }
    this.#dropped.add(entries);
    this.#account.dropped(tally.amounts, "drop_oldest");
    this.#report("spool_dropped_oldest", { entries, bytes: segment.bytes });
  }
}

const follows = (next: Segment, one: Segment) => next.writer === one.writer && next.sequence > one.sequence;
