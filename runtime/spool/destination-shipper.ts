import { rm, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { ResourceContext } from "../abi/resource.js";
import { SendError } from "../log/contract.js";
import { CurrentSink, type OpenSink } from "./current-sink.js";
import { Cursor, type ShipperState, Superseded } from "./cursor.js";
import { type Segment, segmentsOf } from "./layout.js";
import { Outgoing } from "./outgoing.js";
import { type ReadEntries, readEntries } from "./segment-reader.js";
import { ShipperMetrics } from "./shipper-metrics.js";
import { isWriting } from "./writer-name.js";

/**
 * Entries sent together at most, and so those that are sent twice after a crash. Large, since a sink that has to make sure
 * takes its time for each batch, whatever its size.
 */
const BATCH = 8_000;
/** Between two looks for new entries when there were none. */
const IDLE_MS = 100;
/** After a batch of fewer entries others gather for so long: a request to a broker costs as much as 20 entries in it. */
const FEW = 500;
const GATHER_MS = 50;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** Sends what stands in the spool of one destination, in the order of each writer, until it is told to stop. */
export class DestinationShipper {
  readonly #folder: string;
  readonly #cursor: Cursor;
  readonly #sink: CurrentSink;
  readonly #context: ResourceContext;
  readonly #metrics: ShipperMetrics;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #outgoing: Outgoing | undefined = undefined;
  #failures = 0;
  #turn = 0;
  /** Nothing was left to send at the last look. */
  empty = false;
  /** A higher epoch has taken over; this one does nothing more. */
  superseded = false;
  /** Why the last try failed; undefined after a success. */
  error: string | undefined = undefined;

  /** @throws Superseded when a higher epoch has the destination */
  constructor(folder: string, state: ShipperState, openSink: OpenSink, context: ResourceContext) {
    this.#folder = folder;
    this.#context = context;
    this.#cursor = new Cursor(folder, state);
    this.#sink = new CurrentSink(folder, openSink, context);
    this.#metrics = new ShipperMetrics(basename(folder), state.epoch, context.metrics);
    this.#running = this.#run();
  }

  /** Ends after the batch that is being sent, at the latest after `deadlineMs`; what is left stays on disk. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped.abort();
    const cut = setTimeout(() => void this.#sink.close(), deadlineMs);
    await this.#running;
    clearTimeout(cut);
    await this.#sink.close();
    this.#metrics.close();
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        this.#outgoing ??= await this.#next();
        this.empty = this.#outgoing === undefined;
        if (this.#outgoing === undefined) await this.#pause(IDLE_MS);
        else if (await this.#deliver(this.#outgoing)) await this.#pause(GATHER_MS);
      } catch (error) {
        if (error instanceof Superseded) {
          this.superseded = true;
          this.#context.report("spool_superseded", { folder: this.#folder, message: error.message });
          return;
        }
        await this.#failed(error);
      }
    }
  }

  /** The next entries to send; segments that are delivered to their end go. Writers take turns. */
  async #next(): Promise<Outgoing | undefined> {
    const segments = await segmentsOf(this.#folder);
    this.#metrics.look(segments, (segment) => this.#cursor.of(segment));
    const open = segments.filter((segment) => segment.bytes > this.#cursor.of(segment));
    const first = open.filter((one, i) => open[i - 1]?.writer !== one.writer);
    for (const segment of segments)
      if (!open.includes(segment)) await this.#removeDelivered(segment, segments);
    this.#cursor.keepOnly(segments);
    for (let i = 0; i < first.length; i++) {
      const segment = first[(this.#turn + i) % first.length] as Segment;
      const read = await this.#read(segment, segments);
      if (read === undefined) continue;
      this.#turn = (this.#turn + i + 1) % first.length;
      return new Outgoing(segment, this.#cursor.of(segment), read);
    }
    return undefined;
  }

  /** Undefined when there is nothing whole to read: what is being written, or was torn by the end of its writer. */
  async #read(segment: Segment, segments: readonly Segment[]): Promise<ReadEntries | undefined> {
    const from = this.#cursor.of(segment);
    // Asked before the read: a writer that ended after it may have written the rest.
    const complete = hasLater(segment, segments) || !isWriting(segment.writer);
    const read = await readEntries(segment.file, from, BATCH, complete).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      },
    );
    if (read === undefined) return undefined;
    if (read.damaged > 0) {
      this.#metrics.damaged(read.damaged);
      this.#context.report("spool_damaged", { file: segment.file, places: read.damaged });
    }
    if (read.entries.length > 0 || read.end > from) return read;
    // What a killed writer left unfinished was never acknowledged.
    if (read.torn > 0 && complete) this.#cursor.advance(segment, from + read.torn);
    return undefined;
  }

  async #removeDelivered(segment: Segment, segments: readonly Segment[]): Promise<void> {
    if (!hasLater(segment, segments)) {
      if (isWriting(segment.writer)) return;
      // The writer may have ended after the look, and written before its end.
      const now = await stat(segment.file).catch(() => undefined);
      if (now !== undefined && now.size !== segment.bytes) return;
    }
    this.#cursor.advance(segment, Math.max(segment.bytes, this.#cursor.of(segment)));
    await rm(segment.file, { force: true });
  }

  /** @returns whether it was little */
  async #deliver(outgoing: Outgoing): Promise<boolean> {
    const { segment, entries } = outgoing;
    if (entries.length > 0) {
      try {
        await this.#sink.get().send(entries);
      } catch (error) {
        if (error instanceof SendError && this.#partly(outgoing, error)) return false;
        throw error;
      }
      this.#metrics.shipped(entries.length);
    }
    this.#outgoing = undefined;
    outgoing.settle({ delivered: entries.length, refused: [] });
    this.#succeeded(segment, outgoing.settledTo);
    return entries.length < FEW;
  }

  #succeeded(segment: Segment, settledTo: number): void {
    this.#failures = 0;
    this.error = undefined;
    this.#cursor.advance(segment, settledTo);
    this.#cursor.tell(undefined);
  }

  /** @returns whether it got on: the rest may be tried at once, without what the destination will never take */
  #partly(outgoing: Outgoing, failure: SendError): boolean {
    const { delivered, refused } = outgoing.settle(failure);
    if (delivered + refused === 0) return false;
    this.#metrics.shipped(delivered);
    this.#metrics.refused(refused);
    if (refused > 0)
      this.#context.report("spool_refused", {
        folder: this.#folder,
        entries: refused,
        message: failure.message,
      });
    if (outgoing.entries.length === 0) this.#outgoing = undefined;
    this.#succeeded(outgoing.segment, outgoing.settledTo);
    return true;
  }

  async #failed(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    this.error = message;
    this.#context.report("spool_not_delivered", { folder: this.#folder, message });
    this.#metrics.retried();
    try {
      this.#cursor.tell(message);
    } catch {
      // The next look says why: superseded, or a disk that takes no more, which then is the smaller trouble.
    }
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures++, 20));
    await this.#pause(longest * (0.5 + Math.random() / 2));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#stopped;
      if (signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
    });
  }
}

/** Its writer has gone on to the next one. */
const hasLater = ({ writer, sequence }: Segment, segments: readonly Segment[]) =>
  segments.some((one) => one.writer === writer && one.sequence > sequence);
