import { createHash } from "node:crypto";
import type { RootDatabase } from "lmdb";
import { messageOf } from "../../abi/error-message.js";
import { type HistoryCommit, type HistoryRecord, StoreError } from "./store.js";

/** Field of a record that holds its checksum; no resource has one of this name. */
const SUM = "sum";
/** Bytes kept of a SHA-256: enough against chance; an attacker who can write the file needs no collision. */
const SUM_BYTES = 16;

/** Digest of all records in any order. It detects a missing record, and an old one with a valid checksum. */
export interface StoreDigest {
  count: number;
  /** XOR of the checksums of records, hexadecimal. */
  digest: string;
}

export const EMPTY_DIGEST: Readonly<StoreDigest> = { count: 0, digest: "0".repeat(SUM_BYTES * 2) };

/** Record as written to disk, with the checksum of its key and its JSON text. */
export type Summed<T extends object> = T & { readonly [SUM]: string };

/** @param record record as parsed from JSON: fields that `JSON.stringify` omits must not count */
export function withChecksum<T extends object>(key: string, record: T): Summed<T> {
  return { ...record, [SUM]: sumOf(key, record) };
}

/** Reports whether an earlier version wrote the record, without a checksum. */
export const isUnsummed = (record: object): boolean => !(SUM in record);

/** @throws StoreError if the record is not the one written under this key */
export function verified<T extends object>(key: string, record: T): T {
  const { [SUM]: sum, ...rest } = record as T & { [SUM]?: unknown };
  if (sum !== sumOf(key, rest)) throw new StoreError(`${key} is damaged`);
  return rest as unknown as T;
}

/** Adds a record to the digest or removes it: XOR does both. */
export function updateDigest(tally: StoreDigest, record: object, by: 1 | -1): StoreDigest {
  const sum = (record as { [SUM]?: string })[SUM] ?? EMPTY_DIGEST.digest;
  const digest = BigInt(`0x${tally.digest}`) ^ BigInt(`0x${sum}`);
  return { count: tally.count + by, digest: digest.toString(16).padStart(SUM_BYTES * 2, "0") };
}

function sumOf(key: string, record: object): string {
  const hash = createHash("sha256")
    .update(`${key}\0${JSON.stringify(record)}`)
    .digest("hex");
  return hash.slice(0, SUM_BYTES * 2);
}

const RANGE = { start: "history/", end: "history0" };
/** Pads the number to the width of the largest safe integer, so that keys sort by number. */
const keyOf = (number: number) => `history/${String(number).padStart(16, "0")}`;

type Database = RootDatabase<object, string>;

/** Called within the transaction of the write. Returns the change in the number of records. */
export function writeHistory(database: Database, { put, drop }: HistoryCommit): number {
  let by = 0;
  for (const key of drop.map(keyOf)) {
    if (!database.doesExist(key)) continue;
    database.remove(key);
    by -= 1;
  }
  for (const record of put) {
    const key = keyOf(record.number);
    if (!database.doesExist(key)) by += 1;
    database.put(key, withChecksum(key, record));
  }
  return by;
}

/** Counts the records, damaged ones included. lmdb changes the range object, hence the copy. */
export const countHistory = (database: Database): number => database.getKeysCount({ ...RANGE });

/**
 * Passes every readable record to `see`, oldest first, as it is in the file. Skips damaged records, as
 * nothing else depends on them.
 * @throws StoreError for a damaged page: the next write would end the process
 */
export function scanHistory(database: Database, see: (record: HistoryRecord, bytes: number) => void): void {
  for (const key of database.getKeys(RANGE)) {
    const record = readRecord(database, key);
    if (record !== undefined) see(record, Buffer.byteLength(JSON.stringify(record)));
  }
}

/** @throws StoreError if the record is damaged */
export function readHistory(database: Database, number: number): HistoryRecord | undefined {
  const key = keyOf(number);
  const record = readRecord(database, key);
  if (record === undefined && database.doesExist(key)) throw new StoreError(`${key} is damaged`);
  return record;
}

function readRecord(database: Database, key: string): HistoryRecord | undefined {
  try {
    const stored = database.get(key) as HistoryRecord | undefined;
    return stored && verified(key, stored);
  } catch (error) {
    if (isOfDatabase(error)) throw new StoreError(`${key} is damaged: ${messageOf(error)}`);
    return undefined;
  }
}

/** Reports whether LMDB itself failed: its errors have a numeric code, unlike faults of a record. */
const isOfDatabase = (error: unknown): boolean =>
  error instanceof Error && typeof (error as { code?: unknown }).code === "number";
