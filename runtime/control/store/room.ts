import type { RootDatabase } from "lmdb";
import { LmdbRoom, reserveOf } from "../../abi/lmdb-room.js";
import type { StoreCommit } from "./store.js";

/** Bytes reserved for removals, which write too: a sixteenth of a small disk, but at least one commit. */
const MAX_RESERVE = 1_048_576;
const MIN_RESERVE = 262_144;
/** Overhead of a record in bytes: key, checksum, headers of LMDB. */
const RECORD_BYTES = 512;
/** Pages for the free list and the roots. */
const LIST_PAGES = 16;
/** Free pages listed in one page of the free list, with as much to spare. */
const LISTED = 256;

interface Stats {
  pageSize: number;
  treeDepth: number;
  lastPageNumber: number;
}

export const openRoom = (file: string): LmdbRoom =>
  new LmdbRoom(file, reserveOf(file, MAX_RESERVE, MIN_RESERVE));

/**
 * Ensures that the file has space for a commit; one that only removes may use the reserve.
 * @param whole the commit rewrites every record
 * @throws NodeJS.ErrnoException
 */
export function ensureSpace(
  room: LmdbRoom,
  database: RootDatabase<object, string>,
  commit: StoreCommit,
  whole: boolean,
): void {
  const stats = database.getStats() as Stats;
  const rewritten = whole ? 2 * stats.lastPageNumber * stats.pageSize : 0;
  room.demand(() => bytesOf(commit, stats) + rewritten, commit.put.length === 0);
}

/** Maximum size of a commit: LMDB copies all pages from the root to a changed record, and may split each. */
function bytesOf(
  { put, remove, history }: StoreCommit,
  { pageSize, treeDepth, lastPageNumber }: Stats,
): number {
  const values: object[] = [...put, ...(history?.put ?? [])];
  const pagesOf = (value: object) =>
    1 + Math.ceil((Buffer.byteLength(JSON.stringify(value)) + RECORD_BYTES) / pageSize);
  const path = 2 * treeDepth + 2;
  const written = values.length + 1;
  const removed = remove.length + (history?.drop.length ?? 0);
  // Removals write no more pages than exist.
  const paths = path * written + Math.min(path * removed, lastPageNumber + 1);
  const pages = values.reduce((sum, value) => sum + pagesOf(value), paths);
  return (pages + LIST_PAGES + Math.ceil(lastPageNumber / LISTED)) * pageSize;
}
