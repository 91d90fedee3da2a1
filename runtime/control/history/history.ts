import type { Kind } from "../../../compiler/model/resource.js";
import { isObject } from "../../abi/json-object.js";
import type {
  ChangeOrigin,
  HistoryCommit,
  HistoryEntry,
  HistoryRecord,
  ListedChange,
  Store,
  StoredResource,
} from "../store/store.js";

/** Limits of the history; the newest change is always kept, unless `entries` is 0. */
export interface HistoryLimits {
  /** 0 disables the history. */
  entries: number;
  bytes: number;
}

export interface Changed extends Pick<HistoryRecord, "place" | "reload"> {
  origin: ChangeOrigin;
  kind: Kind;
  id: string;
  before: StoredResource | undefined;
  after: StoredResource | undefined;
  /** Value in the files, if they have taken over the resource from the store. */
  adopted?: unknown;
}

export interface HistoryFilter {
  limit: number;
  /** Exclusive upper bound of the change number. */
  before?: number | undefined;
  matches?: ((entry: ListedChange) => boolean) | undefined;
  kind?: Kind | undefined;
  id?: string | undefined;
  origin?: Origin | undefined;
}

interface Kept {
  entry: ListedChange;
  bytes: number;
}

/** Prepares a change, commits it together with its write, and lists it from then on. Values stay in the store. */
export class History {
  readonly #store: Store;
  readonly #limits: () => HistoryLimits;
  readonly #entries: Kept[] = [];
  #bytes = 0;

  constructor(store: Store, limits: () => HistoryLimits) {
    this.#store = store;
    this.#limits = limits;
    store.scanHistory((record, bytes) => this.#keep(entryOf(record), bytes));
    this.#entries.sort((a, b) => a.entry.number - b.entry.number);
  }

  get size(): { entries: number; bytes: number } {
    return { entries: this.#entries.length, bytes: this.#bytes };
  }

  /** Prepares the entries of a commit, numbered from its revision. Undefined if the history is disabled. */
  prepare(number: number, changes: readonly Changed[]): HistoryCommit | undefined {
    const limits = this.#limits();
    if (limits.entries === 0 || changes.length === 0) return undefined;
    const time = new Date().toISOString();
    const put = changes.map((changed, at) => recordOf(number + at, time, changed));
    const own = put.reduce((sum, record) => sum + bytesOf(record), 0);
    let [entries, bytes] = [this.#entries.length + put.length, this.#bytes + own];
    const drop: number[] = [];
    for (const { entry, bytes: own } of this.#entries) {
      if (entries <= limits.entries && bytes <= limits.bytes) break;
      drop.push(entry.number);
      entries -= 1;
      bytes -= own;
    }
    return { put, drop };
  }

  /** Lists the entries once the store has committed them. */
  committed({ put, drop }: HistoryCommit): void {
    for (const { bytes } of this.#entries.splice(0, drop.length)) this.#bytes -= bytes;
    for (const record of put) this.#keep(entryOf(record), bytesOf(record));
  }

  get limits(): HistoryLimits {
    return this.#limits();
  }

  newestOf(kind: Kind, id: string, origin: Origin): ListedChange | undefined {
    return this.#entries.findLast(
      ({ entry }) => entry.kind === kind && entry.id === id && originOfChange(entry) === origin,
    )?.entry;
  }

  /** Lists changes, newest first. */
  page(filter: HistoryFilter): { entries: ListedChange[]; more: boolean } {
    const { limit, before = Number.POSITIVE_INFINITY, kind, id, origin, matches } = filter;
    const entries: ListedChange[] = [];
    for (let i = this.#entries.length - 1; i >= 0; i -= 1) {
      const entry = this.#entries[i]?.entry;
      if (entry === undefined || entry.number >= before) continue;
      if ((kind !== undefined && entry.kind !== kind) || (id !== undefined && entry.id !== id)) continue;
      if (origin !== undefined && originOfChange(entry) !== origin) continue;
      if (matches !== undefined && !matches(entry)) continue;
      if (entries.length === limit) return { entries, more: true };
      entries.push(entry);
    }
    return { entries, more: false };
  }

  /** Undefined if the change is not stored. @throws StoreError if it is unreadable */
  get(number: number): HistoryRecord | undefined {
    const known = this.#entries.some(({ entry }) => entry.number === number);
    return known ? this.#store.readHistory(number) : undefined;
  }

  #keep(entry: ListedChange, bytes: number): void {
    this.#entries.push({ entry, bytes });
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

export type Origin = (typeof ORIGINS)[number];
export const ORIGINS = ["files", "store"] as const;

export const originOfChange = ({ method }: Pick<HistoryEntry, "method">): Origin =>
  method === "RELOAD" ? "files" : "store";

export const bytesOf = (record: HistoryRecord): number => Buffer.byteLength(JSON.stringify(record));

export function entryOf({ before, after, ...entry }: HistoryRecord): ListedChange {
  return { ...entry, did: before === null ? "made" : after === null ? "deleted" : "changed" };
}

/** Limits: number of names, characters of one name, of all names. The last entry counts those left out. */
const MOST = 50;
const LONGEST = 200;
const MAX_CHARACTERS = 4_000;
const STAMPS = new Set(["create_time", "update_time"]);

/**
 * Returns the paths of the fields that differ, such as "upstream.nodes": only names, since values may be
 * secrets. A changed list is one path; a field that was added or removed is named by its topmost path.
 */
export function changedFields(before: unknown, after: unknown): string[] {
  const found: string[] = [];
  compare(before, after, "", found);
  let characters = 0;
  const fitting = found.findIndex((path, i) => i >= MOST || (characters += path.length) > MAX_CHARACTERS);
  return fitting < 0 ? found : [...found.slice(0, fitting), `and ${found.length - fitting} more`];
}

/** Cuts a path: names come from the client, and one of 1.5 MB would be repeated before each field in it. */
function below(path: string, name: string): string {
  if (path.length > LONGEST) return path;
  const whole = path === "" ? name : `${path}.${name}`;
  return whole.length <= LONGEST ? whole : `${whole.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}…`;
}

function compare(before: unknown, after: unknown, path: string, found: string[]): void {
  const [from, to] = [isObject(before) ? before : undefined, isObject(after) ? after : undefined];
  // A resource that was added or removed is described by its fields.
  if ((from === undefined || to === undefined) && path !== "") {
    if (found[found.length - 1] !== path && JSON.stringify(before) !== JSON.stringify(after))
      found.push(path);
    return;
  }
  for (const name of new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])) {
    if (path === "" && STAMPS.has(name)) continue;
    compare(from?.[name], to?.[name], below(path, name), found);
  }
}
