import { type FileHandle, open } from "node:fs/promises";
import type { LogEntry, SendError } from "../../abi/delivery.js";
import { nextMark, readFrame, readHead } from "./frame.js";
import type { Segment } from "./layout.js";

export interface ReadEntries {
  entries: LogEntry[];
  /** Offset behind each entry, so that a part of them can count as delivered. */
  ends: number[];
  /** Offset of the next read: behind the last entry and behind damage. */
  end: number;
  /** Places without a readable frame that were skipped. */
  damaged: number;
  /** Entries in those places: by the numbers of entries around them, at least one a place. */
  lost: number;
  /** Bytes at the end that are the beginning of a frame. */
  torn: number;
  /** Number of the next entry of the segment; undefined if it is unknown. */
  next: number | undefined;
}

export interface ReadOptions {
  /** Maximum entries and, except for the first one, bytes. */
  entries: number;
  bytes: number;
  /** Set if no writer appends to the segment any more. */
  complete: boolean;
  next?: number | undefined;
}

/** Bytes to read at a time; a longer frame gets a read of its own. */
export const READ_BYTES = 4 * 1_048_576;

/** Reads at most about four megabytes. @throws ENOENT if the segment is gone */
export async function readEntries(file: string, offset: number, options: ReadOptions): Promise<ReadEntries> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    // Room for a frame more than the wanted bytes, if those are few: most frames have a few kilobytes.
    const first = Math.min(READ_BYTES, Math.max(65_536, options.bytes * 2));
    for (let length = first; ; length *= 4) {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
      // A short read: the writer has cut off a failed write since the size was read.
      const whole = offset + bytesRead >= size || bytesRead < buffer.length;
      const read = parse(buffer.subarray(0, bytesRead), offset, whole, options);
      if (read.entries.length > 0 || read.damaged > 0 || whole) return read;
    }
  } finally {
    await handle.close();
  }
}

function parse(buffer: Buffer, offset: number, whole: boolean, options: ReadOptions): ReadEntries {
  const read: ReadEntries = {
    ...{ entries: [], ends: [], end: offset, damaged: 0, lost: 0, torn: 0 },
    next: offset === 0 ? 0 : options.next,
  };
  let at = 0;
  let places = 0;
  let bytes = 0;
  while (at < buffer.length && read.entries.length < options.entries) {
    const frame = readFrame(buffer, at, whole && options.complete);
    // At the end of a segment that is being written, unreadable bytes may become a frame: wait for more.
    const coming = frame.kind === "damaged" && frame.next === buffer.length && whole && !options.complete;
    if (frame.kind === "torn" || coming) {
      read.torn = buffer.length - at;
      break;
    }
    if (frame.kind === "damaged") {
      places++;
      // The first bytes of the next frame may be at the end of the buffer.
      at = frame.next === buffer.length && !whole ? Math.max(at + 1, buffer.length - 3) : frame.next;
    } else {
      if (read.entries.length > 0 && bytes + frame.end - at > options.bytes) break;
      bytes += frame.end - at;
      const missing =
        read.next === undefined || frame.number === undefined ? places : frame.number - read.next;
      read.lost += Math.max(places, missing);
      read.damaged += places;
      places = 0;
      read.entries.push(frame.entry);
      read.next = frame.number === undefined ? undefined : frame.number + 1;
      at = frame.end;
      read.ends.push(offset + at);
    }
    read.end = offset + at;
  }
  // The next read, if there is one, tells how many entries were there.
  if (places > 0) {
    read.damaged += places;
    read.lost += places;
    if (read.next !== undefined) read.next += places;
  }
  return read;
}

/** Counts the entries of a segment from `offset` on; 0 if it is gone. */
export async function countEntries(file: string, offset: number): Promise<number> {
  let count = 0;
  try {
    for (let at = offset; ; ) {
      const options = { entries: Number.MAX_SAFE_INTEGER, bytes: READ_BYTES, complete: true };
      const { entries, end } = await readEntries(file, at, options);
      count += entries.length;
      if (end === at) return count;
      at = end;
    }
  } catch {
    return count;
  }
}

/** Enough for the head of an entry: names of loggers and ids of routes are short. */
const HEAD_BYTES = 4_096;

/**
 * Reads the time of the first entry from `offset` on, in epoch ms. Entries of older versions without a time
 * have that of their file; an entry that is not whole yet has the time of the last write.
 * @returns undefined if there is no entry, or the segment is gone or cannot be read
 */
export async function timeOfEntry(file: string, offset: number): Promise<number | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    const { birthtimeMs, mtimeMs } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(HEAD_BYTES), 0, HEAD_BYTES, offset);
    const source = buffer.subarray(0, bytesRead);
    for (let at = 0; at < bytesRead; at = nextMark(source, at)) {
      const head = readHead(source, at);
      // File systems without a birth time report 0.
      if (head !== undefined) return head.time ?? (birthtimeMs || mtimeMs);
    }
    return bytesRead === 0 ? undefined : mtimeMs;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

/** Entries of a segment in delivery, retried until each is delivered or refused for good. */
export class InFlightBatch {
  readonly segment: Segment;
  entries: readonly LogEntry[];
  #starts: readonly number[];
  readonly #end: number;

  constructor(segment: Segment, from: number, { entries, ends, end }: ReadEntries) {
    this.segment = segment;
    this.entries = entries;
    this.#starts = entries.map((_, i) => ends[i - 1] ?? from);
    this.#end = end;
  }

  /** Offset up to which nothing is left to send. */
  get settledTo(): number {
    return this.#starts[0] ?? this.#end;
  }

  /** Removes entries that a failed attempt delivered or that were refused for good. @returns both */
  settle({ delivered, refused }: Pick<SendError, "delivered" | "refused">): {
    delivered: LogEntry[];
    refused: LogEntry[];
  } {
    const never = new Set(refused);
    const gone = { delivered: [] as LogEntry[], refused: [] as LogEntry[] };
    const left: number[] = [];
    for (const [i, entry] of this.entries.entries()) {
      if (never.has(i)) gone.refused.push(entry);
      else if (i < delivered) gone.delivered.push(entry);
      else left.push(i);
    }
    const { entries } = this;
    const starts = this.#starts;
    this.entries = left.map((i) => entries[i] as LogEntry);
    this.#starts = left.map((i) => starts[i] as number);
    return gone;
  }
}
