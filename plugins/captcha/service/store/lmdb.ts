import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { type Database, open, type RootDatabase } from "lmdb";
import { type CaptchaClock, type ClaimStore, StorageError } from "../contract.js";
import { DiskSpace } from "./disk-space.js";
import type { EncryptedKeys } from "./key-records.js";
import { claimsFile } from "./lmdb-file.js";
import { heard, inTime, reasonOf, WRITES } from "./lmdb-writes.js";

/** Entries leave at most this much after their time. */
const PURGE_MS = 10_000;
/** Entries that one purge removes; the rest waits for the next, so that a claim never waits behind a long transaction. */
const PURGE_BATCH = 2_000;
/** Tries to settle a claim while others purge and claim the same id; more than two would be strange. */
const TRIES = 5;
/** Characters of a key: 132 bits of a hash; a page of the file holds twice as many of them as of whole hashes. */
const KEY = 22;
/** Claims after which the entries are counted anew; asking for the count costs 12 µs. */
const RECOUNT = 500;
/** Milliseconds that share one key of the expiry index. */
const SLOT_MS = 10_000;

export interface LmdbStore {
  claims: ClaimStore;
  keys: EncryptedKeys;
}

/**
 * Claims and signing keys in one LMDB file that several processes of this machine may have open. A claim is one conditional write
 * whose condition is looked at inside the write transaction, and counts when it is flushed.
 * @param directory made when missing, 0700
 * @throws StorageError when the file cannot be opened
 */
export function openLmdb(directory: string, limit: number, clock: CaptchaClock): LmdbStore {
  let root: RootDatabase<string, string>;
  let room: DiskSpace;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    room = new DiskSpace(directory);
    // A new file is written at once.
    if (!existsSync(claimsFile(directory))) room.demand();
    root = open({ path: claimsFile(directory), encoding: "string", cache: false, ...WRITES });
  } catch (error) {
    throw new StorageError(`the captcha's store cannot be opened: ${reasonOf(error)}`);
  }
  return { claims: new LmdbClaims(root, room, limit, clock), keys: keysIn(root, room) };
}

class LmdbClaims implements ClaimStore {
  readonly #root: RootDatabase<string, string>;
  /** Value by hash of the id; the version of an entry is the epoch millisecond of its end. */
  readonly #claims: Database<string, string>;
  /** Hashes by slot of their end. */
  readonly #ends: Database<string, number>;
  readonly #room: DiskSpace;
  readonly #limit: number;
  readonly #clock: CaptchaClock;
  readonly #purges: NodeJS.Timeout;
  #closed = false;
  /** As counted last. */
  #entries = 0;
  /** Own claims since; those of other processes come with the next count. */
  #since = RECOUNT;

  constructor(root: RootDatabase<string, string>, room: DiskSpace, limit: number, clock: CaptchaClock) {
    this.#root = root;
    this.#room = room;
    this.#limit = limit;
    this.#clock = clock;
    this.#claims = root.openDB({ name: "claims", useVersions: true, encoding: "string", cache: false });
    this.#ends = root.openDB({ name: "ends", dupSort: true, encoding: "ordered-binary", cache: false });
    this.#purges = setInterval(() => void this.purge().catch(heard), PURGE_MS).unref();
  }

  async claim(id: string, ttlMs: number, value: string): ReturnType<ClaimStore["claim"]> {
    const key = createHash("sha256").update(id).digest("base64url").slice(0, KEY);
    this.#room.demand();
    try {
      if (this.#full()) await this.purge();
      if (this.#full()) throw new StorageError("the store is full");
      return await inTime(this.#settle(key, ttlMs, value));
    } catch (error) {
      throw error instanceof StorageError ? error : new StorageError(reasonOf(error));
    }
  }

  async #settle(key: string, ttlMs: number, value: string): ReturnType<ClaimStore["claim"]> {
    for (let i = 0; i < TRIES; i++) {
      const ends = this.#clock.now() + ttlMs;
      const write = () => {
        this.#claims.put(key, value, ends).catch(heard);
        this.#ends.put(Math.ceil(ends / SLOT_MS), key).catch(heard);
      };
      if (await this.#claims.ifNoExists(key, write)) return { won: true };
      const entry = this.#claims.getEntry(key);
      if (entry === undefined) continue;
      const end = entry.version ?? Number.POSITIVE_INFINITY;
      if (end > this.#clock.now()) return { won: false, value: entry.value };
      if (await this.#claims.ifVersion(key, end, write)) return { won: true };
    }
    throw new StorageError("the claim could not be settled");
  }

  #full(): boolean {
    if (this.#closed) throw new StorageError("the store is closed");
    if (++this.#since > RECOUNT || this.#entries + this.#since > this.#limit) {
      this.#entries = (this.#claims.getStats() as { entryCount: number }).entryCount;
      this.#since = 1;
    }
    return this.#entries >= this.#limit;
  }

  /** Removes entries whose time is over. Each removal holds only if the entry is still the one that was looked at. */
  async purge(): Promise<void> {
    if (this.#closed) return;
    this.#room.demand();
    const now = this.#clock.now();
    const removals: Promise<boolean>[] = [];
    const due = this.#ends.getRange({ end: Math.floor(now / SLOT_MS) + 1, limit: PURGE_BATCH });
    for (const { key: slot, value: key } of due) {
      const end = this.#claims.getEntry(key)?.version;
      if (end !== undefined && end <= now) removals.push(this.#claims.remove(key, end));
      removals.push(this.#ends.remove(slot, key));
    }
    await Promise.all(removals);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#purges);
    this.#room.close();
    await this.#root.close();
  }
}

function keysIn(root: RootDatabase<string, string>, room: DiskSpace): EncryptedKeys {
  const keys = root.openDB<string, string>({ name: "keys", encoding: "string", cache: false });
  const guarded = async <T>(action: () => T | Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw new StorageError(reasonOf(error));
    }
  };
  return {
    losses: () => 0,
    all: () => guarded(() => new Map([...keys.getRange()].map(({ key, value }) => [key, value]))),
    async put(kid, sealed) {
      room.demand();
      await guarded(() => keys.put(kid, sealed));
    },
    remove: (kid) => guarded(async () => void (await keys.remove(kid))),
  };
}
