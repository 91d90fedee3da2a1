import { closeSync, fstatSync, openSync, readSync } from "node:fs";

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
export function newestHead(descriptor: number): Head | undefined {
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
