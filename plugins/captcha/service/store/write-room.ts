import {
  type LmdbPages,
  LmdbRoom,
  reserveOf,
  type WriteFault,
} from "../../../../runtime/process/service-api.js";
import { StorageError } from "../contract.js";
import { captchaWriteFault, causeOf, reasonOf } from "./lmdb-writes.js";
import { inTime } from "./states.js";

/** Timeout for its client; a flush takes 0.24 ms on this project's machine. */
const WRITE_MS = 2_000;
/** Room for removals, and for pending writes of other processes. */
const MAX_RESERVE = 4_194_304;
const MIN_RESERVE = 262_144;
/** Bytes that one check of the file (20 µs) grants to later writes; one in its own commit takes 70 to 100 kB. */
const GRANT = 1_048_576;
/** Minimum in a branch page of LMDB: keys of the captcha take at most 60 of its 2,000 used bytes. */
const FANOUT = 32;
/** Pages beside the value: a split leaf, and a branch. */
const SPLITS = 2;
/** Pages of the free list, and roots. */
const LIST_PAGES = 16;
/** Free pages that one page of the list names, with an equal margin. */
const LISTED = 256;

/** Upper bounds of a write. */
export interface WriteSize {
  puts?: number;
  /** Drawn from the reserve if nothing is put. */
  removals?: number;
  /** Values, in bytes. */
  bytes?: number;
  /** The store itself removes expired entries and no request waits. */
  isBackground?: true;
}

/**
 * Ensures room for each write before lmdb-js receives it, until its commit; `LmdbRoom` explains what happens
 * without it. Commits combine writes, so pending ones count together.
 */
export class WriteRoom {
  readonly #room: LmdbRoom;
  readonly #fault: WriteFault;
  readonly #pending = { puts: 0, removals: 0, bytes: 0 };
  /** Undefined before the first check. */
  #pages: LmdbPages | undefined;
  #granted = 0;

  /** @param file exists: LMDB has written its head pages @param fault shared by all files of the process */
  constructor(file: string, fault = captchaWriteFault()) {
    this.#fault = fault;
    this.#room = new LmdbRoom(file, reserveOf(file, MAX_RESERVE, MIN_RESERVE));
  }

  /** @throws StorageError also if the disk does not respond in time */
  async write<T>(size: WriteSize, work: () => Promise<T>): Promise<T> {
    try {
      this.#fault.refuse(size.isBackground !== true);
      this.demand(size);
      return await inTime(WRITE_MS, this.#reserved(size, work), "the disk does not respond");
    } catch (error) {
      throw error instanceof StorageError ? error : new StorageError(reasonOf(error), { cause: error });
    }
  }

  /** @throws NodeJS.ErrnoException */
  demand({ puts = 0, removals = 0, bytes = 0 }: WriteSize): void {
    const alone = this.#pages && bytesOf(this.#pages, puts, removals, bytes);
    if (alone !== undefined && alone <= this.#granted) this.#granted -= alone;
    else this.#check({ puts, removals, bytes });
  }

  #check({ puts, removals, bytes }: Required<Omit<WriteSize, "isBackground">>): void {
    const all = this.#pending;
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

  async #reserved<T>(size: WriteSize, work: () => Promise<T>): Promise<T> {
    const { puts = 0, removals = 0, bytes = 0, isBackground } = size;
    const all = this.#pending;
    all.puts += puts;
    all.removals += removals;
    all.bytes += bytes;
    try {
      return await work();
    } catch (error) {
      const cause = await causeOf(error);
      this.#fault.note(cause, isBackground !== true);
      throw cause;
    } finally {
      all.puts -= puts;
      all.removals -= removals;
      all.bytes -= bytes;
    }
  }
}

/** LMDB copies all pages from the root to a changed entry, and stores several small values in a page. */
function bytesOf({ count, size }: LmdbPages, puts: number, removals: number, bytes: number): number {
  const path = 2 + Math.ceil(Math.log(count + 1) / Math.log(FANOUT));
  const changed = Math.min(path * (puts + removals), count);
  const fresh = puts * SPLITS + Math.ceil((2 * bytes) / size);
  return (changed + fresh + LIST_PAGES + Math.ceil(count / LISTED)) * size;
}
