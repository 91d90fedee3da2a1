import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { LogEntry } from "../log/contract.js";
import { frameSize, writeFrame } from "./frame.js";
import { segmentName } from "./layout.js";

/** A group of entries that becomes durable with one write and one `fdatasync`. */
export interface Group {
  entries: LogEntry[];
  bytes: number;
}

/** Appends to the segments of one writer, a file after the other. One call at a time. */
export class SegmentWriter {
  readonly #folder: string;
  readonly #writer: string;
  readonly #segmentBytes: number;
  readonly #describe: () => unknown;
  #sequence = 0;
  #file: FileHandle | undefined = undefined;
  /** End of what is known to be good in the open segment. */
  #end = 0;

  /** @param describe makes the folder with what belongs in it: somebody may have removed it */
  constructor(folder: string, writer: string, segmentBytes: number, describe: () => unknown) {
    this.#folder = folder;
    this.#describe = describe;
    this.#writer = writer;
    this.#segmentBytes = segmentBytes;
  }

  /** Resolves when the group is on disk. @throws when it is not; then nothing of it remains in the segment */
  async append({ entries, bytes }: Group): Promise<void> {
    const buffer = Buffer.allocUnsafe(bytes);
    let at = 0;
    for (const entry of entries) at = writeFrame(buffer, at, entry);
    // A segment that somebody removes while it is open takes what it has with it; so the next one gets the group.
    while (!(await this.#put(buffer))) await this.close();
    this.#end += bytes;
  }

  /** @returns false when the segment has no name any more */
  async #put(buffer: Buffer): Promise<boolean> {
    const file = await this.#open(buffer.length);
    try {
      await writeAll(file, buffer, this.#end);
      const [{ nlink }] = await Promise.all([file.stat(), file.datasync()]);
      return nlink > 0;
    } catch (error) {
      await this.#undo(file);
      throw error;
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #open(bytes: number): Promise<FileHandle> {
    if (this.#file !== undefined && this.#end > 0 && this.#end + bytes > this.#segmentBytes)
      await this.close();
    if (this.#file === undefined) {
      this.#describe();
      // A number is used once, even where what follows fails: the file may be there then.
      const path = join(this.#folder, segmentName(this.#writer, ++this.#sequence));
      this.#end = 0;
      this.#file = await open(path, "wx", 0o600);
      try {
        await flushNames(this.#folder);
      } catch (error) {
        await this.close().catch(() => {});
        throw error;
      }
    }
    return this.#file;
  }

  /**
   * A part of a group that was refused should not be delivered later, so it is cut off. The segment is not written again:
   * the shipper may have read beyond its new end, and would pass over what came there next.
   */
  async #undo(file: FileHandle): Promise<void> {
    await file.truncate(this.#end).catch(() => {});
    await this.close().catch(() => {});
  }
}

/** The name of a new file is durable with its folder. */
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

/** Bytes of a group with one more entry. */
export function addTo(group: Group, entry: LogEntry): void {
  group.entries.push(entry);
  group.bytes += frameSize(entry);
}
