import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { LogEntry } from "../../abi/delivery.js";
import { frameSize, writeFrame } from "./frame.js";
import { segmentName } from "./layout.js";

export interface Group {
  entries: LogEntry[];
  bytes: number;
}

/** A file of a writer. After a failure it is not written again: no entry may follow a part that was cut off. */
export class OpenSegment {
  readonly file: FileHandle;
  /** End of the written groups, and of those that survive a power cut too. */
  written = 0;
  synced = 0;
  failure: unknown = undefined;
  entries = 0;
  users = 0;
  retired = false;

  constructor(file: FileHandle) {
    this.file = file;
  }
}

/** Appends to the segments of one writer, file after file: a group becomes durable while the next is written. */
export class SegmentWriter {
  readonly #folder: string;
  readonly #writer: string;
  readonly #segmentBytes: number;
  readonly #describe: () => unknown;
  #sequence = 0;
  #current: OpenSegment | undefined = undefined;

  /** @param describe creates the folder with its files: it may have been removed */
  constructor(folder: string, writer: string, segmentBytes: number, describe: () => unknown) {
    this.#folder = folder;
    this.#describe = describe;
    this.#writer = writer;
    this.#segmentBytes = segmentBytes;
  }

  /**
   * A written group survives the end of this process. One call at a time; `release` afterwards.
   * @throws if not all of it was written; then none of it remains
   */
  async write({ entries, bytes }: Group): Promise<OpenSegment> {
    const buffer = Buffer.allocUnsafe(bytes);
    const segment = await this.#open(bytes);
    const time = Date.now();
    let at = 0;
    for (const [i, entry] of entries.entries()) at = writeFrame(buffer, at, entry, segment.entries + i, time);
    segment.users++;
    try {
      await writeAll(segment.file, buffer, segment.written);
      // A flush that failed meanwhile has cut off the bytes in front of this group.
      if (segment.failure !== undefined) throw segment.failure;
      segment.written += bytes;
      segment.entries += entries.length;
      return segment;
    } catch (error) {
      await this.#giveUp(segment, segment.failure === undefined ? segment.written : segment.synced);
      await this.release(segment);
      throw error;
    }
  }

  /**
   * Resolves when all written groups survive a power cut. One call at a time.
   * @returns false if the file has no name any more: its entries must be written again
   * @throws if they do not; then the groups since the last success are gone from the segment
   */
  async sync(segment: OpenSegment): Promise<boolean> {
    if (segment.failure !== undefined) throw segment.failure;
    const end = segment.written;
    try {
      const [{ nlink }] = await Promise.all([segment.file.stat(), segment.file.datasync()]);
      segment.synced = end;
      if (nlink === 0) await this.#retire(segment);
      return nlink > 0;
    } catch (error) {
      segment.failure = error;
      await this.#giveUp(segment, segment.synced);
      throw error;
    }
  }

  /** Releases a written group once it is settled; one call for each. */
  async release(segment: OpenSegment): Promise<void> {
    segment.users--;
    if (segment.retired && segment.users === 0) await segment.file.close().catch(() => {});
  }

  /**
   * Begins an empty segment, so that the shipper may remove the previous one once it is delivered: on a full
   * disk that frees room. One call at a time, as `write`.
   * @throws if the disk has no room for a name
   */
  async next(): Promise<void> {
    if (this.#sequence === 0 || this.#current?.written === 0) return;
    await this.close();
    await this.#open(0);
  }

  async close(): Promise<void> {
    if (this.#current !== undefined) await this.#retire(this.#current);
  }

  async #retire(segment: OpenSegment): Promise<void> {
    if (segment === this.#current) this.#current = undefined;
    if (segment.retired) return;
    segment.retired = true;
    if (segment.users === 0) await segment.file.close().catch(() => {});
  }

  /** Cuts off a refused group, which must not be delivered later; the shipper may have read it already. */
  async #giveUp(segment: OpenSegment, end: number): Promise<void> {
    await segment.file.truncate(end).catch(() => {});
    await this.#retire(segment);
  }

  async #open(bytes: number): Promise<OpenSegment> {
    const last = this.#current;
    if (last !== undefined && last.written > 0 && last.written + bytes > this.#segmentBytes)
      await this.close();
    if (this.#current !== undefined) return this.#current;
    this.#describe();
    // A number is used once, even if the next steps fail: the file may exist by then.
    const path = join(this.#folder, segmentName(this.#writer, ++this.#sequence));
    const segment = new OpenSegment(await open(path, "wx", 0o600));
    try {
      await flushNames(this.#folder);
    } catch (error) {
      await this.#retire(segment);
      throw error;
    }
    this.#current = segment;
    return segment;
  }
}

/** Flushes a folder: the name of a new file is durable with its folder. */
async function flushNames(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(file: FileHandle, buffer: Buffer, position: number): Promise<void> {
  for (let at = 0; at < buffer.length; ) {
    const { bytesWritten } = await file.write(buffer, at, buffer.length - at, position + at);
    at += bytesWritten;
  }
}

export function addTo(group: Group, entry: LogEntry): void {
  group.entries.push(entry);
  group.bytes += frameSize(entry);
}
