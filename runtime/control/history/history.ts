import type { Kind } from "../../../compiler/resolve/resource.js";
import { changedFields } from "../admin/changed-fields.js";
import type {
  ChangeOrigin,
  HistoryCommit,
  HistoryEntry,
  HistoryRecord,
  ListedChange,
  Store,
  StoredResource,
} from "../store/store.js";

/** How much of the past is kept; the newest change always is, unless `entries` is 0. */
export interface HistoryLimits {
  /** 0: no change is kept. */
  entries: number;
  bytes: number;
}

/** A change: the resource before and after, and who asked for it. */
export interface Changed extends Pick<HistoryRecord, "place" | "reload"> {
  origin: ChangeOrigin;
  kind: Kind;
  id: string;
  before: StoredResource | undefined;
  after: StoredResource | undefined;
  /** Where the store has it no longer, what files have in its place. */
  adopted?: unknown;
}

/** Which changes a list has. */
export interface HistoryFilter {
  limit: number;
  /** Only those with a lower number. */
  before?: number | undefined;
  /** Others are left out. */
  matches?: ((entry: ListedChange) => boolean) | undefined;
  kind?: Kind | undefined;
  id?: string | undefined;
  origin?: Origin | undefined;
}

/** A page of changes, and what there is beyond it. */
export interface HistoryPage {
  entries: ListedChange[];
  /** There are older ones that fit. */
  more: boolean;
}

interface Kept {
  entry: ListedChange;
  bytes: number;
}

/**
 * The changes that the admin API, and reloads of files, have made, newest last. Values stay in the store.
 * A change is prepared, committed with the write it tells of, and known from then on.
 */
export class History {
  readonly #store: Store;
  readonly #limits: () => HistoryLimits;
  readonly #kept: Kept[] = [];
  #bytes = 0;

  constructor(store: Store, limits: () => HistoryLimits) {
    this.#store = store;
    this.#limits = limits;
    store.scanHistory((record, bytes) => this.#keep(entryOf(record), bytes));
    this.#kept.sort((a, b) => a.entry.number - b.entry.number);
  }

  /** Changes that are kept, and the bytes of their records. */
  get size(): { entries: number; bytes: number } {
    return { entries: this.#kept.length, bytes: this.#bytes };
  }

  /**
   * Effect of the commit of changes on the history; undefined where none is kept.
   * @param number revision of the store that the commit makes; others are counted up from it
   */
  prepare(number: number, changes: readonly Changed[]): HistoryCommit | undefined {
    const limits = this.#limits();
    if (limits.entries === 0 || changes.length === 0) return undefined;
    const time = new Date().toISOString();
    const put = changes.map((changed, at) => recordOf(number + at, time, changed));
    const own = put.reduce((sum, record) => sum + bytesOf(record), 0);
    let [entries, bytes] = [this.#kept.length + put.length, this.#bytes + own];
    const drop: number[] = [];
    for (const { entry, bytes: own } of this.#kept) {
      if (entries <= limits.entries && bytes <= limits.bytes) break;
      drop.push(entry.number);
      entries -= 1;
      bytes -= own;
    }
    return { put, drop };
  }

  /** The store has taken it. */
  committed({ put, drop }: HistoryCommit): void {
    for (const { bytes } of this.#kept.splice(0, drop.length)) this.#bytes -= bytes;
    for (const record of put) this.#keep(entryOf(record), bytesOf(record));
  }

  /** Bounds of what is kept now. */
  get limits(): HistoryLimits {
    return this.#limits();
  }

  /** The newest change of a resource in files, or in the store; undefined where none is kept. */
  newestOf(kind: Kind, id: string, origin: Origin): ListedChange | undefined {
    return this.#kept.findLast(
      ({ entry }) => entry.kind === kind && entry.id === id && originOfChange(entry) === origin,
    )?.entry;
  }

  /** Newest first. */
  page({ limit, before = Number.POSITIVE_INFINITY, kind, id, origin, matches }: HistoryFilter): HistoryPage {
    const entries: ListedChange[] = [];
    for (let i = this.#kept.length - 1; i >= 0; i -= 1) {
      const entry = this.#kept[i]?.entry;
      if (entry === undefined || entry.number >= before) continue;
      if ((kind !== undefined && entry.kind !== kind) || (id !== undefined && entry.id !== id)) continue;
      if (origin !== undefined && originOfChange(entry) !== origin) continue;
      if (matches !== undefined && !matches(entry)) continue;
      if (entries.length === limit) return { entries, more: true };
      entries.push(entry);
    }
    return { entries, more: false };
  }

  /**
   * One change with its values; undefined where it is not kept.
   * @throws StoreError when it cannot be read
   */
  get(number: number): HistoryRecord | undefined {
    const known = this.#kept.some(({ entry }) => entry.number === number);
    return known ? this.#store.readHistory(number) : undefined;
  }

  #keep(entry: ListedChange, bytes: number): void {
    this.#kept.push({ entry, bytes });
    this.#bytes += bytes;
  }
}

function recordOf(number: number, time: string, changed: Changed): HistoryRecord {
  const { origin, kind, id, before, after, adopted, place, reload } = changed;
  return {
    ...{ number, time, ...origin, kind, id },
    changed: changedFields(before?.value, after?.value ?? adopted),
    ...(place !== undefined && { place }),
    ...(reload && { reload }),
    before: before ?? null,
    after: after ?? null,
  };
}

/** Which of both a change is of. */
export type Origin = (typeof ORIGINS)[number];
export const ORIGINS = ["files", "store"] as const;

export const originOfChange = ({ method }: Pick<HistoryEntry, "method">): Origin =>
  method === "RELOAD" ? "files" : "store";

export const bytesOf = (record: HistoryRecord): number => Buffer.byteLength(JSON.stringify(record));

/** The change without its values. */
export function entryOf({ before, after, ...entry }: HistoryRecord): ListedChange {
  return { ...entry, did: before === null ? "made" : after === null ? "deleted" : "changed" };
}
