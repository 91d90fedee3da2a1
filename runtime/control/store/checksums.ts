import { createHash } from "node:crypto";
import { StoreError } from "./store.js";

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
