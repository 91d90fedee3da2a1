import { type FileHandle, open } from "node:fs/promises";
import { nextMark, readHead } from "./frame.js";

/** Bytes to read at a time: heads of a thousand default records in each megabyte. */
const READ_BYTES = 1_048_576;

export interface EntryCounts {
  entries: number;
  /** Bytes of keys and payloads. */
  bytes: number;
}

export function entriesIn(amounts: ReadonlyMap<string, EntryCounts>): number {
  let sum = 0;
  for (const { entries } of amounts.values()) sum += entries;
  return sum;
}

export function addAmount(
  amounts: Map<string, EntryCounts>,
  origin: string,
  entries: number,
  bytes: number,
): void {
  const known = amounts.get(origin);
  if (known === undefined) amounts.set(origin, { entries, bytes });
  else {
    known.entries += entries;
    known.bytes += bytes;
  }
}

/** Reads only heads, and each once: a segment grows at its end and is delivered from its beginning. */
export class SegmentCounts {
  readonly amounts = new Map<string, EntryCounts>();
  readonly #file: string;
  #at: number;
  #delivered: number;

  /** @param delivered offset of the first undelivered entry */
  constructor(file: string, delivered: number) {
    this.#file = file;
    this.#at = delivered;
    this.#delivered = delivered;
  }

  /** Reads the entries since the last call; ends early if the file is removed meanwhile. */
  async read(): Promise<void> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(this.#file, "r");
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      for (;;) {
        const from = this.#at;
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
        // If the shipper advanced meanwhile, the bytes read are already delivered.
        if (from === this.#at) this.#consume(buffer.subarray(0, bytesRead), bytesRead < buffer.length);
        if (bytesRead < buffer.length || this.#at === from) return;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    } finally {
      await handle?.close();
    }
  }

  /** Settles everything before `offset`: these entries, which `read` may not have reached. */
  settled(offset: number, gone: readonly { origin?: string | undefined; bytes: number }[]): void {
    if (offset <= this.#delivered) return;
    this.#delivered = offset;
    if (offset > this.#at) {
      this.amounts.clear();
      this.#at = offset;
      return;
    }
    for (const { origin = "", bytes } of gone) addAmount(this.amounts, origin, -1, -bytes);
  }

  /** @param last nothing follows yet: an incomplete entry is being written */
  #consume(source: Buffer, last: boolean): void {
    let at = 0;
    while (at < source.length) {
      const head = readHead(source, at);
      if (head === undefined) {
        const next = nextMark(source, at);
        // Half a head at the end, or the beginning of a magic: the next read begins with it.
        if (next >= source.length && at === 0 && !last) at = source.length - 3;
        if (next >= source.length) break;
        at = next;
        continue;
      }
      if (head.end > source.length && last) break;
      addAmount(this.amounts, head.origin, 1, head.bytes);
      at = head.end;
    }
    this.#at += at;
  }
}
