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

/** Bytes by which a file grows at once, so that few writes wait for it. */
const STEP = 262_144;
const ZEROS = Buffer.alloc(STEP);
/** lmdb-js 3.5.6 takes 8,272 bytes for 126 readers, and as many readers as there is room for in a longer file. */
const LOCK_BYTES = 12_288;
/** File systems that write a page to another place than before, so that zeros hold no room for it: btrfs, bcachefs, ZFS. */
const COPYING: ReadonlySet<number> = new Set([0x9123683e, 0xca451a4e, 0x2fc12fc1]);

/** An LMDB file up to its last page. */
export interface LmdbPages {
  count: number;
  /** Bytes of each. */
  size: number;
}

/**
 * Room that an LMDB file has behind its last page: zeros on the disk, which nobody else can take, where LMDB writes its next pages.
 * No write may find a full disk: `mdb_page_flush` of lmdb-js 3.5.6 then prints six numbers, two of them from memory it never wrote,
 * into 100 bytes that do not hold them ("corrupted size vs. prev_size").
 */
export class LmdbRoom {
  readonly #descriptor: number;
  readonly #directory: string;
  readonly #reserve: number;
  readonly #maxBytes = maxFileBytes();

  /**
   * @param file exists: LMDB has made its heads
   * @param reserve bytes held for writes that need no more room than they give back
   */
  constructor(file: string, reserve: number) {
    // Appended alone: of several processes, none writes zeros over a page of another.
    this.#descriptor = openSync(file, "a+");
    this.#directory = dirname(file);
    this.#reserve = reserve;
  }

  /**
   * Has room for a write, or refuses it.
   * @param most bytes that it may take in such a file
   * @param fromReserve as removals, which end once the reserve is used up
   * @throws NodeJS.ErrnoException where the disk has too little room, or takes no write at all
   */
  demand(most: (file: LmdbPages) => number, fromReserve = false): void {
    const now = new Date();
    // A disk that has become read-only says so here.
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
    if (head === undefined) throw new Error("the file has no head");
    return { count: Number(head.lastPage) + 1, size: head.pageSize };
  }

  /** @returns what kept the file from becoming so long, or undefined */
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
 * Writes the lock file of a store in full where there is none: LMDB maps it, and a page of it that a full disk does not take ends the
 * process (SIGBUS). Begins before LMDB opens the file, since closing another descriptor of it would release LMDB's locks.
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

/** Bytes to hold for removals beside `file`: a sixteenth of what it may become, at least `min` and at most `max`. */
export function reserveOf(file: string, max: number, min: number): number {
  const { blocks, bsize } = statfsSync(dirname(file));
  const share = Math.min(blocks * bsize, maxFileBytes()) / 16;
  return Math.min(max, Math.max(min, share));
}

/** Bytes that a file of this process may have (`ulimit -f`): LMDB takes a write beyond them as one to a full disk. */
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
