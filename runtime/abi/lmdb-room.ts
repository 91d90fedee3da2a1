import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { newestHead } from "./lmdb-head.js";

/** Growth of a file at a time, so that few writes wait for it. */
const STEP = 262_144;
const ZEROS = Buffer.alloc(STEP);
/** Length for lmdb-js 3.5.6: 8,272 bytes for 126 readers; a longer file has more readers. */
const LOCK_BYTES = 12_288;
/** File systems (btrfs, bcachefs, ZFS) that write a page to a new place, so that zeros reserve no room for it. */
const COPYING: ReadonlySet<number> = new Set([0x9123683e, 0xca451a4e, 0x2fc12fc1]);

export interface LmdbPages {
  count: number;
  /** Bytes of each page. */
  size: number;
}

/**
 * Room of zeros on the disk behind the last page, which no other file can take, where LMDB writes its next
 * pages. No write may find a full disk: `mdb_page_flush` of lmdb-js 3.5.6 then prints six numbers, two of
 * them from memory that it never wrote, into 100 bytes that are too short for them ("corrupted size vs.
 * prev_size").
 */
export class LmdbRoom {
  readonly #descriptor: number;
  readonly #directory: string;
  readonly #reserve: number;
  readonly #maxBytes = maxFileBytes();

  /** @param file exists: LMDB has made its heads @param reserve bytes for writes that give back the room they need */
  constructor(file: string, reserve: number) {
    // Append mode: of several processes, none writes zeros over a page of another.
    this.#descriptor = openSync(file, "a+");
    this.#directory = dirname(file);
    this.#reserve = reserve;
  }

  /**
   * Reserves room for a write.
   * @param most returns the maximum bytes that it takes in such a file
   * @param fromReserve for removals, which end once the reserve is used up
   * @throws NodeJS.ErrnoException if the disk has too little room, or takes no write at all
   */
  demand(most: (file: LmdbPages) => number, fromReserve = false): void {
    const now = new Date();
    // Fails on a disk that has become read-only.
    futimesSync(this.#descriptor, now, now);
    const pages = this.#pages();
    const bytes = most(pages);
    const used = pages.count * pages.size;
    const fault = this.#extend(used + bytes + this.#reserve);
    const { size, blocks } = fstatSync(this.#descriptor);
    const needed = used + bytes + (fromReserve ? 0 : this.#reserve);
    if (Math.min(size, this.#maxBytes) < needed) throw fault ?? noSpace();
    const { bavail, bsize, type } = statfsSync(this.#directory);
    // Pages that an earlier version left unwritten take room when they are written.
    const unwritten = COPYING.has(type) ? bytes : size - blocks * 512;
    if (bavail * bsize < Math.min(unwritten, bytes)) throw noSpace();
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #pages(): LmdbPages {
    const head = newestHead(this.#descriptor);
    if (head === undefined) throw new Error("the file has no header");
    return { count: Number(head.lastPage) + 1, size: head.pageSize };
  }

  /** @returns the error that kept the file from growing to that length, or undefined */
  #extend(bytes: number): unknown {
    const { size } = fstatSync(this.#descriptor);
    if (size >= bytes) return undefined;
    const end = Math.ceil(bytes / STEP) * STEP;
    try {
      for (let at = size; at < end; ) at += writeSync(this.#descriptor, ZEROS, 0, Math.min(STEP, end - at));
      // Some file systems find out only now that there is no room.
      fdatasyncSync(this.#descriptor);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

/**
 * Writes the complete lock file of a store if there is none: LMDB maps it, and a page that a full disk does
 * not take ends the process (SIGBUS). Must run before LMDB opens the file, because closing another descriptor
 * of it would release LMDB's locks.
 * @throws NodeJS.ErrnoException
 */
export function makeLockFile(store: string): void {
  const lock = `${store}-lock`;
  if (existsSync(lock)) return;
  const whole = `${lock}.${process.pid}`;
  try {
    writeFileSync(whole, Buffer.alloc(LOCK_BYTES), { mode: 0o600, flush: true });
    linkSync(whole, lock);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(whole, { force: true });
  }
}

/** Reserve for removals next to `file`: a sixteenth of its possible size, within `min` and `max`. */
export function reserveOf(file: string, max: number, min: number): number {
  const { blocks, bsize } = statfsSync(dirname(file));
  const share = Math.min(blocks * bsize, maxFileBytes()) / 16;
  return Math.min(max, Math.max(min, share));
}

/** Limit of this process (`ulimit -f`), which is a full disk for LMDB. */
function maxFileBytes(): number {
  try {
    const limit = /^Max file size +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return limit === null ? Number.POSITIVE_INFINITY : Number(limit[1]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function noSpace(): Error {
  return Object.assign(new Error("no space left on the disk"), { code: "ENOSPC" });
}
