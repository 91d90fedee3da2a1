import type { RootDatabase } from "lmdb";
import { messageOf } from "../../abi/error-message.js";
import { verified, withChecksum } from "./checksums.js";
import type { HistoryCommit, HistoryRecord } from "./store.js";
import { StoreError } from "./store.js";

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
