import type { RootDatabase } from "lmdb";
import { LmdbRoom, reserveOf } from "../../abi/lmdb-room.js";
import type { StoreCommit } from "./store.js";

/** Bytes held in the file for removals, which write too; on a small disk a sixteenth of it, and never less than one commit takes. */
const MAX_RESERVE = 1_048_576;
const MIN_RESERVE = 262_144;
/** Bytes of a record beside its values: key, checksum, LMDB's heads. */
const RECORD_BYTES = 512;
/** Pages that list which pages are free, and roots. */
const LIST_PAGES = 16;
/** Free pages that a page of their list names, with as much to spare. */
const LISTED = 256;

interface Stats {
  pageSize: number;
  treeDepth: number;
  lastPageNumber: number;
}

export const openRoom = (file: string): LmdbRoom =>
  new LmdbRoom(file, reserveOf(file, MAX_RESERVE, MIN_RESERVE));

/**
 * Has room in the file for a commit; one that only removes may use the reserve.
 * @param whole the commit writes every record anew
 * @throws NodeJS.ErrnoException
 */
export function demandRoom(
  room: LmdbRoom,
  database: RootDatabase<object, string>,
  commit: StoreCommit,
  whole: boolean,
): void {
  const stats = database.getStats() as Stats;
  const rewritten = whole ? 2 * stats.lastPageNumber * stats.pageSize : 0;
  room.demand(() => bytesOf(commit, stats) + rewritten, commit.put.length === 0);
}

/** Most that a commit can write: LMDB writes all pages from the root to a changed record anew, and may split each. */
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
  // Removals write no more pages than there are.
  const paths = path * written + Math.min(path * removed, lastPageNumber + 1);
  const pages = values.reduce((sum, value) => sum + pagesOf(value), paths);
  return (pages + LIST_PAGES + Math.ceil(lastPageNumber / LISTED)) * pageSize;
}
