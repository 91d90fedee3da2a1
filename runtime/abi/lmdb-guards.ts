import {
  chmodSync,
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isOfSystem, writeFaultOf } from "./error-message.js";

// Checks before LMDB reads or writes: a damaged file, a full disk or a failed write would end the process.

/** Growth of a file at a time, so that few writes wait for it. */
const STEP = 262_144;
const ZEROS = Buffer.alloc(STEP);
/** Length for lmdb-js 3.5.6: 8,272 bytes for 126 readers; a longer file has more readers. */
const LOCK_BYTES = 12_288;
/** File systems (btrfs, bcachefs, ZFS) that write a page to a new place, so that zeros reserve no room for it. */
const COPYING: ReadonlySet<number> = new Set([0x9123683e, 0xca451a4e, 0x2fc12fc1]);

/** Value at the beginning of an LMDB head's content (lmdb-js 3.5). */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const HEAD_BYTES = 160;
/** Page sizes, with those of the two heads: 4,096 bytes on most machines, up to 64 KiB on some. */
const PAGE_SIZES = [4_096, 8_192, 16_384, 32_768, 65_536];
/** Returned pages of a transaction are never written: a file may be a little shorter than its head says. */
const SPARE_PAGES = 4_096;

interface Head {
  pageSize: number;
  lastPage: bigint;
  transaction: bigint;
}

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

/**
 * Compares the length of a file with its newer head, before LMDB reads it and writes the next page where the
 * head says. A flipped bit puts that terabytes behind the file, which ends the process (SIGSEGV) or leaves a
 * file of that length.
 * @returns the fault if the file is far shorter than its head says
 */
export function farPage(file: string): string | undefined {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const newest = newestHead(descriptor);
    if (newest === undefined) return undefined;
    const pages = BigInt(Math.ceil(size / newest.pageSize));
    if (newest.lastPage < pages + BigInt(SPARE_PAGES)) return undefined;
    return `its head names page ${newest.lastPage}, and it has ${pages}`;
  } finally {
    closeSync(descriptor);
  }
}

/** Head of the last commit. @returns undefined if there is none */
function newestHead(descriptor: number): Head | undefined {
  const first = headAt(descriptor, 0);
  const pageSize = PAGE_SIZES.find((bytes) => bytes === first?.pageSize) ?? 4_096;
  const second = headAt(descriptor, pageSize);
  const heads = [first, second].filter((head) => head !== undefined);
  const [newest] = heads.sort((a, b) => (a.transaction < b.transaction ? 1 : -1));
  return newest && { ...newest, pageSize };
}

function headAt(descriptor: number, at: number): Head | undefined {
  const bytes = Buffer.alloc(HEAD_BYTES);
  if (readSync(descriptor, bytes, 0, HEAD_BYTES, at) < HEAD_BYTES) return undefined;
  if (bytes.readUInt32LE(MAGIC_AT) !== MAGIC) return undefined;
  return {
    pageSize: bytes.readUInt32LE(PAGE_SIZE_AT),
    lastPage: bytes.readBigUInt64LE(LAST_PAGE_AT),
    transaction: bytes.readBigUInt64LE(TRANSACTION_AT),
  };
}

/**
 * Keeps writes from LMDB after a failed one (EIO), in any file of a store: `mdb_page_flush` of lmdb-js 3.5.6
 * then prints more than 100 bytes into 100, so that another write may end the process, or worse.
 */
export class WriteFault {
  #reason: string | undefined;
  readonly #refusal: (reason: string) => Error;
  readonly #failed: (isAsked: boolean) => void;

  /**
   * @param refusal error of each refused write
   * @param failed called for the failed write and each refused one, with whether a client asked for it
   */
  constructor(refusal: (reason: string) => Error, failed: (isAsked: boolean) => void) {
    this.#refusal = refusal;
    this.#failed = failed;
  }

  /** @throws the refusal after a failed write */
  refuse(isAsked: boolean): void {
    if (this.#reason === undefined) return;
    this.#failed(isAsked);
    throw this.#refusal(this.#reason);
  }

  /** Records the error that LMDB ended a write with. */
  note(error: unknown, isAsked: boolean): void {
    if (!isSystemFault(error)) return;
    this.#reason ??= writeFaultOf(error);
    this.#failed(isAsked);
  }
}

/** Reports whether LMDB gave up because a system call failed. */
export const isSystemFault = (error: unknown): boolean =>
  isOfSystem(((error ?? {}) as { code?: unknown }).code);

/**
 * Removes the rights of others from the existing directory of a store (0700) and its files (0600). Those of
 * another owner, or on a volume without rights, stay unchanged.
 * @param prefix of the names of the store's files
 * @throws NodeJS.ErrnoException
 */
export function restrictToOwner(directory: string, prefix: string): void {
  const files = readdirSync(directory).filter((name) => name.startsWith(prefix));
  const all = [[directory, 0o700] as const, ...files.map((name) => [join(directory, name), 0o600] as const)];
  for (const [path, mode] of all) {
    try {
      chmodSync(path, mode);
    } catch (error) {
      if (!/^(?:EPERM|EROFS|ENOTSUP|EINVAL)$/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}
