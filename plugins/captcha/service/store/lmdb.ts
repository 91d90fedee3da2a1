import { createHash } from "node:crypto";
import type { Database, RootDatabase } from "lmdb";
import type { WriteFault } from "../../../../runtime/process/service-api.js";
import { type CaptchaClock, type ClaimStore, StorageError } from "../contract.js";
import type { EncryptedKeys } from "./key-records.js";
import { claimsFile } from "./lmdb-file.js";
import { openFile } from "./lmdb-open.js";
import { onWriteError, reasonOf } from "./lmdb-writes.js";
import type { WriteRoom } from "./write-room.js";

/** Maximum delay of an expiry. */
const PURGE_MS = 10_000;
/** Maximum of one purge; the rest waits, so that a claim never waits for a long transaction. */
const PURGED = 2_000;
/** Maximum in a transaction, for which the reserve of a full disk has room. */
const PURGE_BATCH = 50;
/** Attempts while others purge and claim the same id; more than two would be strange. */
const TRIES = 5;
/** 132 bits of a hash: a page of the file holds twice as many as of whole hashes. */
const KEY = 22;
/** Claims between two counts of the entries; a count costs 12 µs. */
const RECOUNT = 500;
/** Time that shares one key of the expiry index. */
const SLOT_MS = 10_000;
/** Claims, their expiries, signing keys. */
const PARTS = 3;
/** A claim and its entry in the expiry index. */
const CLAIM = { puts: 2 };

export interface LmdbStore {
  claims: ClaimStore;
  keys: EncryptedKeys;
}

/**
 * Claims and signing keys in one file that several processes of this machine may have open. A claim is one
 * conditional write whose condition is checked inside the write transaction; it counts after the flush.
 * @param directory created if missing, 0700
 * @param fault shared by all files of the process
 * @throws StorageError if the file cannot be opened
 */
export function openLmdb(
  directory: string,
  limit: number,
  clock: CaptchaClock,
  fault?: WriteFault,
): LmdbStore {
  const { root, room } = openFile(claimsFile(directory), PARTS, fault);
  return { claims: new LmdbClaims(root, room, limit, clock), keys: keysIn(root, room) };
}

class LmdbClaims implements ClaimStore {
  readonly #root: RootDatabase<string, string>;
  /** Value by hash of the id; an entry's version is its expiry in epoch ms. */
  readonly #claims: Database<string, string>;
  /** Hashes by slot of their expiry. */
  readonly #ends: Database<string, number>;
  readonly #room: WriteRoom;
  readonly #limit: number;
  readonly #clock: CaptchaClock;
  readonly #purges: NodeJS.Timeout;
  #closed = false;
  #entries = 0;
  /** Own claims since the last count; the next one includes those of other processes. */
  #since = RECOUNT;

  constructor(root: RootDatabase<string, string>, room: WriteRoom, limit: number, clock: CaptchaClock) {
    this.#root = root;
    this.#room = room;
    this.#limit = limit;
    this.#clock = clock;
    this.#claims = root.openDB({ name: "claims", useVersions: true, encoding: "string", cache: false });
    this.#ends = root.openDB({ name: "ends", dupSort: true, encoding: "ordered-binary", cache: false });
    this.#purges = setInterval(() => void this.purge().catch(onWriteError), PURGE_MS).unref();
  }

  async claim(id: string, ttlMs: number, value: string): ReturnType<ClaimStore["claim"]> {
    const key = createHash("sha256").update(id).digest("base64url").slice(0, KEY);
    if (this.#full()) await this.purge();
    if (this.#full()) throw new StorageError("the store is full");
    return await this.#room.write({ ...CLAIM, bytes: value.length }, () => this.#settle(key, ttlMs, value));
  }

  async #settle(key: string, ttlMs: number, value: string): ReturnType<ClaimStore["claim"]> {
    for (let i = 0; i < TRIES; i++) {
      const ends = this.#clock.now() + ttlMs;
      const write = () => {
        this.#claims.put(key, value, ends).catch(onWriteError);
        this.#ends.put(Math.ceil(ends / SLOT_MS), key).catch(onWriteError);
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

  /** Each removal only applies to the version that was read. @throws StorageError */
  async purge(): Promise<void> {
    const now = this.#clock.now();
    for (let purged = 0; purged < PURGED && !this.#closed; purged += PURGE_BATCH) {
      const due = [...this.#ends.getRange({ end: Math.floor(now / SLOT_MS) + 1, limit: PURGE_BATCH })];
      if (due.length === 0) return;
      await this.#room.write({ removals: 2 * due.length, isBackground: true }, () => this.#remove(due, now));
    }
  }

  async #remove(due: readonly { key: number; value: string }[], now: number): Promise<void> {
    const removals: Promise<boolean>[] = [];
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

function keysIn(root: RootDatabase<string, string>, room: WriteRoom): EncryptedKeys {
  const keys = root.openDB<string, string>({ name: "keys", encoding: "string", cache: false });
  return {
    losses: () => 0,
    async all() {
      try {
        return new Map([...keys.getRange()].map(({ key, value }) => [key, value]));
      } catch (error) {
        throw new StorageError(reasonOf(error));
      }
    },
    async put(kid, sealed) {
      await room.write({ puts: 1, bytes: sealed.length }, () => keys.put(kid, sealed));
    },
    async remove(kid) {
      await room.write({ removals: 1 }, () => keys.remove(kid));
    },
  };
}
