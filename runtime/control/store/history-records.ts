import type { RootDatabase } from "lmdb";
import { messageOf } from "../../abi/error-message.js";
import { verified, withChecksum } from "./checksums.js";
import type { HistoryCommit, HistoryRecord } from "./store.js";
import { StoreError } from "./store.js";

const RANGE = { start: "history/", end: "history0" };
/** As wide as the largest safe integer, so that the order of keys is that of numbers. */
const keyOf = (number: number) => `history/${String(number).padStart(16, "0")}`;

type Database = RootDatabase<object, string>;

/** Within the transaction of the write that it tells of. @returns by how many it changes the number of those kept */
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

/** How many changes are kept, those that are damaged among them. lmdb marks the range that it is given as one to count. */
export const countHistory = (database: Database): number => database.getKeysCount({ ...RANGE });

/**
 * Shows every change that can be read, oldest first, as it stands in the file; a record that is damaged is left out:
 * nothing else depends on it.
 * @throws StoreError for a damaged page: the next write would end the process
 */
export function scanHistory(database: Database, see: (record: HistoryRecord, bytes: number) => void): void {
  for (const key of database.getKeys(RANGE)) {
    const record = readRecord(database, key);
    if (record !== undefined) see(record, Buffer.byteLength(JSON.stringify(record)));
  }
}

/** @throws StoreError for one that is damaged */
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

/** LMDB gives its own errors a number; those of a record come from its text or its sum. */
const isOfDatabase = (error: unknown): boolean =>
  error instanceof Error && typeof (error as { code?: unknown }).code === "number";
