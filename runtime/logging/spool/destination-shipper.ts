import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { type LogEntry, type OpenSink, SendError } from "../../abi/delivery.js";
import type { ResourceContext } from "../../abi/resource.js";
import { bytesOf } from "../batch/log-metrics.js";
import { type DeliveryFailure, failed, recovered } from "../delivered.js";
import { CurrentSink } from "./current-sink.js";
import { Cursor, type ShipperState, SupersededError } from "./cursor.js";
import { isSegment, labelsOf, moveAside, type Segment, segmentsOf } from "./layout.js";
import { addAmount, type EntryCounts, SegmentCounts } from "./segment-counts.js";
import { InFlightBatch, READ_BYTES, type ReadEntries, readEntries } from "./segment-reader.js";
import { ShipperMetrics } from "./spool-metrics.js";
import { DirectoryWakeup } from "./wakeup.js";
import { isWriting, madeBefore } from "./writer-name.js";

/** Maximum entries of a batch, which a crash repeats. Large: a confirming sink takes its time for each batch. */
const BATCH = 8_000;
/** Entries below which a pause lets others gather: a request to a broker costs as much as 20 entries in it. */
const FEW = 500;
const GATHER_MS = 50;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;

/** Sends the spool of one destination, in the order of each writer, until it is stopped. */
export class DestinationShipper {
  readonly #folder: string;
  readonly #cursor: Cursor;
  readonly #sink: CurrentSink;
  readonly #context: ResourceContext;
  readonly #metrics: ShipperMetrics;
  readonly #tallies = new Map<string, SegmentCounts>();
  readonly #bell: DirectoryWakeup;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #outgoing: InFlightBatch | undefined = undefined;
  /** Number of the entry at the offset of a segment. */
  readonly #numbers = new Map<string, number | undefined>();
  #failures = 0;
  #turn = 0;
  #rung = false;
  #wake: () => void = () => {};
  /** Set if the last poll left nothing to send and nothing has come since. */
  empty = false;
  /** Set if a higher epoch has taken over; this shipper then stops. */
  superseded = false;
  failure: DeliveryFailure | undefined = undefined;

  /** @throws SupersededError if a higher epoch has the destination */
  constructor(folder: string, state: ShipperState, openSink: OpenSink, context: ResourceContext) {
    this.#folder = folder;
    this.#context = context;
    this.#cursor = new Cursor(folder, state);
    this.#sink = new CurrentSink(folder, openSink, context);
    this.#metrics = new ShipperMetrics(labelsOf(folder), state.epoch, context.metrics);
    this.#bell = new DirectoryWakeup(folder, isSegment, () => this.look());
    this.#running = this.#run();
  }

  /** Error of the last attempt; undefined after a success. */
  get error(): string | undefined {
    return this.failure?.over === false ? this.failure.message : undefined;
  }

  get totals(): ShipperMetrics["totals"] {
    return this.#metrics.totals;
  }

  /** Reports whether new entries wake it; otherwise its owner must call `look` regularly. */
  get hears(): boolean {
    return this.#bell.watching;
  }

  look(): void {
    this.#rung = true;
    this.empty = false;
    if (!this.#bell.watching) this.#bell.watch();
    this.#wake();
  }

  delivered(segment: Segment): number {
    return this.#cursor.of(segment);
  }

  async pending(segments: readonly Segment[]): Promise<Map<string, EntryCounts>> {
    const names = new Set(segments.map(({ file }) => file));
    for (const file of this.#tallies.keys()) if (!names.has(file)) this.#tallies.delete(file);
    const amounts = new Map<string, EntryCounts>();
    for (const segment of segments) {
      const known = this.#tallies.get(segment.file);
      const tally = known ?? new SegmentCounts(segment.file, this.#cursor.of(segment));
      this.#tallies.set(segment.file, tally);
      await tally.read();
      for (const [origin, { entries, bytes }] of tally.amounts) addAmount(amounts, origin, entries, bytes);
    }
    return amounts;
  }

  /** Stops after the batch in flight, at the latest after `deadlineMs`; the rest stays on disk. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped.abort();
    this.#bell.close();
    this.#wake();
    const cut = setTimeout(() => void this.#sink.close(), deadlineMs);
    await this.#running;
    clearTimeout(cut);
    await this.#sink.close();
    this.#metrics.close();
  }

  async #run(): Promise<void> {
    let recovered = false;
    while (!this.#stopped.signal.aborted) {
      try {
        if (!recovered) await this.#recover();
        recovered = true;
        this.#rung = false;
        if (this.#outgoing !== undefined && isGivenUp(this.#outgoing.segment)) this.#outgoing = undefined;
        this.#outgoing ??= await this.#next();
        this.empty = this.#outgoing === undefined && !this.#rung;
        if (this.#outgoing === undefined) await this.#rest();
        else if (await this.#deliver(this.#outgoing)) await this.#pause(GATHER_MS);
      } catch (error) {
        if (error instanceof SupersededError) {
          this.superseded = true;
          this.#context.report("spool_superseded", { folder: this.#folder, message: error.message });
          return;
        }
        await this.#failed(error);
      }
    }
  }

  /** Counts the entries from before the start of the gateway, once: none of its own counters include them. */
  async #recover(): Promise<void> {
    const { startedAt } = this.#context;
    if (startedAt === undefined || this.#cursor.counted === startedAt) return;
    const inherited = (await segmentsOf(this.#folder)).filter(({ writer }) => madeBefore(writer, startedAt));
    this.#metrics.recovered(await this.pending(inherited));
    this.#cursor.count(startedAt);
  }

  /** Returns the next entries to send, from each writer in turn, and removes delivered segments. */
  async #next(): Promise<InFlightBatch | undefined> {
    const segments = await segmentsOf(this.#folder);
    const open = segments.filter((segment) => segment.bytes > this.#cursor.of(segment));
    const first = open.filter((one, i) => open[i - 1]?.writer !== one.writer);
    for (const segment of segments)
      if (!open.includes(segment)) await this.#removeDelivered(segment, segments);
    this.#cursor.keepOnly(segments);
    if (first.length === 0) return undefined;
    const bytes = this.#sink.get().batchBytes ?? READ_BYTES;
    for (let i = 0; i < first.length; i++) {
      const segment = first[(this.#turn + i) % first.length] as Segment;
      const read = await this.#read(segment, segments, bytes);
      if (read === undefined) continue;
      this.#turn = (this.#turn + i + 1) % first.length;
      return new InFlightBatch(segment, this.#cursor.of(segment), read);
    }
    return undefined;
  }

  /** @returns undefined if no entry is complete: it is being written, or the end of its writer tore it */
  async #read(
    segment: Segment,
    segments: readonly Segment[],
    bytes: number,
  ): Promise<ReadEntries | undefined> {
    const { file } = segment;
    const from = this.#cursor.of(segment);
    // Checked before the read: a writer that ends after it may have written the rest.
    const complete = hasLater(segment, segments) || !isWriting(segment.writer);
    const next = this.#numbers.get(file);
    const read = await readEntries(file, from, { entries: BATCH, bytes, complete, next }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      },
    );
    if (read === undefined) return undefined;
    if (read.lost > 0) this.#damaged(segment, read);
    this.#numbers.set(file, read.next);
    if (read.entries.length > 0 || read.end > from) return read;
    // An entry that a killed writer left incomplete was never acknowledged.
    if (read.torn > 0 && complete) {
      this.#advance(segment, from + read.torn, []);
      this.#rung = true;
    }
    return undefined;
  }

  /** Keeps the file after its delivery, because a part of it was unreadable. */
  #damaged(segment: Segment, { lost, damaged: places, entries }: ReadEntries): void {
    this.#metrics.damaged(lost, entries);
    this.#cursor.keep(segment);
    this.#context.report("spool_damaged", { file: segment.file, places, entries: lost });
  }

  async #removeDelivered(segment: Segment, segments: readonly Segment[]): Promise<void> {
    if (!hasLater(segment, segments)) {
      if (isWriting(segment.writer)) return;
      // The writer may have written more and ended since the poll.
      const now = await stat(segment.file).catch(() => undefined);
      if (now !== undefined && now.size !== segment.bytes) return;
    }
    this.#advance(segment, Math.max(segment.bytes, this.#cursor.of(segment)), []);
    this.#numbers.delete(segment.file);
    if (this.#cursor.isKept(segment)) {
      const kept = await moveAside(segment);
      this.#context.report("spool_segment_kept", { file: kept });
    } else await rm(segment.file, { force: true });
  }

  #advance(segment: Segment, offset: number, gone: readonly LogEntry[]): void {
    this.#cursor.advance(segment, offset);
    const settled = gone.map((entry) => ({ origin: entry.origin, bytes: bytesOf(entry) }));
    this.#tallies.get(segment.file)?.settled(offset, settled);
  }

  /** @returns true if the batch was small */
  async #deliver(outgoing: InFlightBatch): Promise<boolean> {
    const { segment, entries } = outgoing;
    if (entries.length > 0) {
      try {
        await this.#sink.get().send(entries);
      } catch (error) {
        if (error instanceof SendError && this.#partly(outgoing, error)) return false;
        throw error;
      }
      if (!isGivenUp(segment)) this.#metrics.shipped(entries);
    }
    this.#outgoing = undefined;
    outgoing.settle({ delivered: entries.length, refused: [] });
    this.#succeeded(segment, outgoing.settledTo, entries);
    return entries.length < FEW;
  }

  #succeeded(segment: Segment, settledTo: number, gone: readonly LogEntry[]): void {
    this.#failures = 0;
    this.failure = recovered(this.failure);
    this.#advance(segment, settledTo, gone);
    this.#cursor.tell(undefined);
  }

  /** @returns false if no entry was delivered or refused; otherwise the rest is sent again at once */
  #partly(outgoing: InFlightBatch, failure: SendError): boolean {
    const { delivered, refused } = outgoing.settle(failure);
    if (delivered.length + refused.length === 0) return false;
    if (!isGivenUp(outgoing.segment)) {
      this.#metrics.shipped(delivered);
      this.#metrics.refused(refused);
    }
    if (refused.length > 0)
      this.#context.report("spool_refused", {
        folder: this.#folder,
        entries: refused.length,
        message: failure.message,
      });
    if (outgoing.entries.length === 0) this.#outgoing = undefined;
    this.#succeeded(outgoing.segment, outgoing.settledTo, [...delivered, ...refused]);
    return true;
  }

  async #failed(error: unknown): Promise<void> {
    this.failure = failed(error);
    const { message } = this.failure;
    this.#context.report("spool_not_delivered", { folder: this.#folder, message });
    this.#metrics.failed(this.#outgoing?.entries ?? []);
    try {
      this.#cursor.tell(message);
    } catch {
      // The next poll reports the cause: superseded, or a full disk, which then is the smaller problem.
    }
    const longest = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures++, 20));
    await this.#pause(longest * (0.5 + Math.random() / 2));
  }

  /** Waits for a wakeup, so that an idle destination costs nothing. */
  async #rest(): Promise<void> {
    if (this.#rung || this.#stopped.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = () => {};
  }

  #pause(ms: number): Promise<void> {
    return wait(ms, undefined, { signal: this.#stopped.signal }).catch(() => {});
  }
}

/** Reports whether the segment was dropped for newer entries during delivery: its entries count as dropped. */
const isGivenUp = ({ file }: Segment) => !existsSync(file);

/** Reports whether the writer has started a later segment. */
const hasLater = ({ writer, sequence }: Segment, segments: readonly Segment[]) =>
  segments.some((one) => one.writer === writer && one.sequence > sequence);
