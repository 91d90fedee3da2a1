import { createHash } from "node:crypto";
import { StoreError } from "./store.js";

/** Member of a record that holds its sum; no resource has one of this name. */
const SUM = "sum";
/** Bytes kept of a SHA-256: chance finds no second text, and nobody who can write the file needs one. */
const SUM_BYTES = 16;

/**
 * What all records of a store add up to, whatever their order. A record that vanished, or came back from an older page
 * with its sum in order, changes it.
 */
export interface StoreDigest {
  count: number;
  /** Exclusive or of the records' sums, hexadecimal. */
  digest: string;
}

export const EMPTY_DIGEST: Readonly<StoreDigest> = { count: 0, digest: "0".repeat(SUM_BYTES * 2) };

/** A record as it goes to the disk, with the sum of its key and its JSON text. */
export type Summed<T extends object> = T & { readonly [SUM]: string };

/** @param record as JSON gives it back: what `JSON.stringify` leaves out must not count */
export function withChecksum<T extends object>(key: string, record: T): Summed<T> {
  return { ...record, [SUM]: sumOf(key, record) };
}

/** Whether an earlier version wrote it, which knew no sums. */
export const isUnsummed = (record: object): boolean => !(SUM in record);

/** @throws StoreError when the record is not the one that was written under this key */
export function verified<T extends object>(key: string, record: T): T {
  const { [SUM]: sum, ...rest } = record as T & { [SUM]?: unknown };
  if (sum !== sumOf(key, rest)) throw new StoreError(`${key} is damaged`);
  return rest as unknown as T;
}

/** Adds a record to the tally, or takes it out of it: both are the same operation on the digest. */
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
