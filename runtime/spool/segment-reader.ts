import { open } from "node:fs/promises";
import type { LogEntry } from "../log/contract.js";
import { readFrame } from "./frame.js";

/** Entries read from a segment, each with the offset behind it. */
export interface ReadEntries {
  entries: LogEntry[];
  /** Offset behind each entry, so that a part of them can be taken as delivered. */
  ends: number[];
  /** Where reading goes on: behind the last entry and behind damage. */
  end: number;
  /** Places without a readable frame that were passed over. */
  damaged: number;
  /** Bytes at the end that are the beginning of a frame. */
  torn: number;
}

/** Bytes read at once; a frame that is longer gets a read of its own. */
const READ_BYTES = 4 * 1_048_576;

/**
 * Reads up to `maxEntries` entries from `offset` on, about four megabytes at most.
 * @param complete nobody appends to the segment any more
 * @throws ENOENT when the segment is gone
 */
export async function readEntries(
  file: string,
  offset: number,
  maxEntries: number,
  complete: boolean,
): Promise<ReadEntries> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    for (let length = READ_BYTES; ; length *= 4) {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
      // Less than was asked for: the writer has cut off what the disk refused, after the look at the size.
      const whole = offset + bytesRead >= size || bytesRead < buffer.length;
      const read = parse(buffer.subarray(0, bytesRead), offset, maxEntries, { whole, complete });
      if (read.entries.length > 0 || read.damaged > 0 || whole) return read;
    }
  } finally {
    await handle.close();
  }
}

function parse(
  buffer: Buffer,
  offset: number,
  maxEntries: number,
  { whole, complete }: { whole: boolean; complete: boolean },
): ReadEntries {
  const read: ReadEntries = { entries: [], ends: [], end: offset, damaged: 0, torn: 0 };
  let at = 0;
  while (at < buffer.length && read.entries.length < maxEntries) {
    const frame = readFrame(buffer, at, whole && complete);
    // Where the writer is at work, bytes that make no sense yet are waited for.
    const coming = frame.kind === "damaged" && frame.next === buffer.length && whole && !complete;
    if (frame.kind === "torn" || coming) {
      read.torn = buffer.length - at;
      break;
    }
    if (frame.kind === "damaged") {
      read.damaged++;
      // The first bytes of the next frame may stand at the end of what was read.
      at = frame.next === buffer.length && !whole ? Math.max(at + 1, buffer.length - 3) : frame.next;
    } else {
      read.entries.push(frame.entry);
      at = frame.end;
      read.ends.push(offset + at);
    }
    read.end = offset + at;
  }
  return read;
}

/** Entries of a segment from `offset` on; 0 when it is gone. */
export async function countEntries(file: string, offset: number): Promise<number> {
  let count = 0;
  try {
    for (let at = offset; ; ) {
      const { entries, end } = await readEntries(file, at, Number.MAX_SAFE_INTEGER, true);
      count += entries.length;
      if (end === at) return count;
      at = end;
    }
  } catch {
    return count;
  }
}
