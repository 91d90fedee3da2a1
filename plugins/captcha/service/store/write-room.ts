import { type LmdbPages, LmdbRoom, reserveOf } from "../../../../runtime/abi/lmdb-room.js";
import type { WriteFault } from "../../../../runtime/abi/write-fault.js";
import { StorageError } from "../contract.js";
import { captchaWriteFault, causeOf, inTime, reasonOf } from "./lmdb-writes.js";

/** Bytes of the reserve: room for removals, and for writes that other processes have under way. */
const MAX_RESERVE = 4_194_304;
const MIN_RESERVE = 262_144;
/** Bytes that one look at the file, 20 µs, grants to the writes after it: of 70 to 100 kB each, as one alone in its commit may take. */
const GRANT = 1_048_576;
/** Entries that a branch page of LMDB has at least: keys of the captcha take at most 60 of the 2,000 bytes that are in use of one. */
const FANOUT = 32;
/** New pages of a write beside its value: a leaf that splits, and a branch. */
const SPLITS = 2;
/** Pages that list which pages are free, and roots; and free pages that a page of the list names, with as much to spare. */
const LIST_PAGES = 16;
const LISTED = 256;

/** Most that a write changes. */
export interface WriteSize {
  /** Entries that it puts. */
  puts?: number;
  /** Entries that it removes, from the reserve where it puts none. */
  removals?: number;
  /** Bytes of the values that it puts. */
  bytes?: number;
  /** The store itself removes what is over; no request waits for it. */
  unasked?: true;
}

/**
 * Has room in a file of the store for each write before lmdb-js sees it, until the commit that it went into: see `LmdbRoom` for
 * what happens without. Commits gather writes, so those under way count together.
 */
export class WriteRoom {
  readonly #room: LmdbRoom;
  readonly #fault: WriteFault;
  readonly #underWay = { puts: 0, removals: 0, bytes: 0 };
  /** As seen last; undefined before the first look. */
  #pages: LmdbPages | undefined;
  /** Left of it. */
  #granted = 0;

  /** @param file exists: LMDB has made its heads @param fault of all files of the process */
  constructor(file: string, fault = captchaWriteFault()) {
    this.#fault = fault;
    this.#room = new LmdbRoom(file, reserveOf(file, MAX_RESERVE, MIN_RESERVE));
  }

  /**
   * Hands a write to the library if there is room for it.
   * @throws StorageError also when the disk does not answer in time
   */
  async write<T>(size: WriteSize, work: () => Promise<T>): Promise<T> {
    try {
      this.#fault.refuse(size.unasked !== true);
      this.demand(size);
      return await inTime(this.#held(size, work));
    } catch (error) {
      throw error instanceof StorageError ? error : new StorageError(reasonOf(error), { cause: error });
    }
  }

  /** @throws NodeJS.ErrnoException */
  demand({ puts = 0, removals = 0, bytes = 0 }: WriteSize): void {
    const alone = this.#pages && bytesOf(this.#pages, puts, removals, bytes);
    if (alone !== undefined && alone <= this.#granted) this.#granted -= alone;
    else this.#look({ puts, removals, bytes });
  }

  #look({ puts, removals, bytes }: Required<Omit<WriteSize, "unasked">>): void {
    const all = this.#underWay;
    const isPut = puts > 0;
    this.#room.demand((file) => {
      this.#pages = file;
      const most = bytesOf(file, all.puts + puts, all.removals + removals, all.bytes + bytes);
      return isPut ? most + GRANT : most;
    }, !isPut);
    if (isPut) this.#granted = GRANT;
  }

  close(): void {
    this.#room.close();
  }

  async #held<T>(size: WriteSize, work: () => Promise<T>): Promise<T> {
    const { puts = 0, removals = 0, bytes = 0, unasked } = size;
    const all = this.#underWay;
    all.puts += puts;
    all.removals += removals;
    all.bytes += bytes;
    try {
      return await work();
    } catch (error) {
      const cause = await causeOf(error);
      this.#fault.note(cause, unasked !== true);
      throw cause;
    } finally {
      all.puts -= puts;
      all.removals -= removals;
      all.bytes -= bytes;
    }
  }
}

/** LMDB writes all pages from the root to a changed entry anew, and gathers small values in a page. */
function bytesOf({ count, size }: LmdbPages, puts: number, removals: number, bytes: number): number {
  const path = 2 + Math.ceil(Math.log(count + 1) / Math.log(FANOUT));
  const changed = Math.min(path * (puts + removals), count);
  const fresh = puts * SPLITS + Math.ceil((2 * bytes) / size);
  return (changed + fresh + LIST_PAGES + Math.ceil(count / LISTED)) * size;
}
