import type { Kind } from "../../../compiler/model/resource.js";
import { log } from "../../process/log.js";

export type JsonObject = { [name: string]: unknown };

export interface StoredResource {
  kind: Kind;
  /** Id as text; `value.id` may be a number. */
  id: string;
  /** Null if deleted by force while others refer to it. */
  value: JsonObject | null;
  /** Revision of the store that created it. */
  createdIndex: number;
  /** Revision of the store that last wrote it. */
  modifiedIndex: number;
  /** Epoch seconds after which it is removed (`?ttl=`). */
  expires?: number;
  /** Paths of its secrets; absent if there are none or they have not been determined yet. */
  secrets?: readonly SecretPath[];
}

export interface ChangeOrigin {
  /** Name of the key; null if none was needed, or for the gateway itself. */
  key: string | null;
  /** Address of the peer; null for the gateway itself. */
  address: string | null;
  note: string | null;
  /** "EXPIRE": a resource expired. "ADOPT": files or a build took it over. "RELOAD": they changed it. */
  method: "PUT" | "POST" | "PATCH" | "DELETE" | "EXPIRE" | "ADOPT" | "RELOAD";
  reverts?: number;
}

/** Entry of the history list; all that memory keeps of a change. */
export interface HistoryEntry extends ChangeOrigin {
  /** Revision of the store after the change: `modifiedIndex` of the resource. */
  number: number;
  /** ISO 8601. */
  time: string;
  kind: Kind;
  id: string;
  changed: readonly string[];
  /** Location of a resource of files, "gateway.yaml:10:5", or its last location if it was deleted. */
  place?: string;
  reload?: ReloadSum;
}

/** Totals of the changed resources of files, or of a build, in one reload. */
export interface ReloadSum {
  made: number;
  changed: number;
  deleted: number;
  /** Changes that have an entry in the history. */
  kept: number;
}

export interface ListedChange extends HistoryEntry {
  did: "made" | "changed" | "deleted";
}

/** Change as the store keeps it, written in its transaction. Secrets are encrypted as in resources. */
export interface HistoryRecord extends HistoryEntry {
  before: StoredResource | null;
  after: StoredResource | null;
}

export interface HistoryCommit {
  put: readonly HistoryRecord[];
  /** Numbers of the oldest records, which are evicted. */
  drop: readonly number[];
}

export interface StoreState {
  /** Generation of the last commit; 0 for an empty store. */
  generation: number;
  /** Increases with each commit. */
  revision: number;
  resources: StoredResource[];
}

export interface StoreCommit {
  put: StoredResource[];
  remove: { kind: Kind; id: string }[];
  generation: number;
  revision: number;
  /** History of the change; absent if the history is disabled. */
  history?: HistoryCommit | undefined;
  /** Present for a write of the gateway itself: a resource expired. */
  isBackground?: true;
}

/** Failed operation of the store; a failed write leaves its content intact. */
export class StoreError extends Error {}

/** Store with missing or altered acknowledged records. */
export class DamagedStoreError extends StoreError {
  /** Names of the intact resources: "routes/shop". */
  readonly intact: ReadonlySet<string>;

  constructor(message: string, intact: Iterable<string>) {
    super(message);
    this.intact = new Set(intact);
  }
}

/** Returns the name of a resource in messages and in the generation log: "routes/shop". */
export const nameOf = ({ kind, id }: { kind: Kind; id: string }): string => `${kind}/${id}`;

/** Durable store of resources written through the admin API. Only control opens it. */
export interface Store {
  /** @throws StoreError if the content is unreadable */
  load(): StoreState;
  /** Ensures that the disk has space for a commit. @throws StoreError */
  makeRoom(commit: StoreCommit): void;
  /** Commits atomically and returns once it is on disk. @throws StoreError */
  commit(commit: StoreCommit): void;
  /** Passes every record to `see`, oldest first, with its size; secrets are as in the file. */
  scanHistory(see: (record: HistoryRecord, bytes: number) => void): void;
  /** Reads one change; undefined if it is not stored. @throws StoreError if it is unreadable */
  readHistory(number: number): HistoryRecord | undefined;
  close(): Promise<void>;
}

/** Called before workers and the generation log receive the change. */
export function storeFullReason(store: Store, commit: StoreCommit): string | undefined {
  try {
    store.makeRoom(commit);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log("write_not_stored", { reason: error.message });
    return error.message;
  }
}

export type SecretPath = readonly (string | number)[];

/** Store without a disk: for embedding, and for `gwc run dist/` without writes. */
export function memoryStore(): Store {
  let meta = { generation: 0, revision: 0 };
  const resources = new Map<string, StoreState["resources"][number]>();
  const changes = new Map<number, HistoryRecord>();
  return {
    load: () => ({ ...meta, resources: [...resources.values()] }),
    makeRoom() {},
    commit({ put, remove, generation, revision, history }) {
      for (const { kind, id } of remove) resources.delete(`${kind}/${id}`);
      for (const resource of put) resources.set(`${resource.kind}/${resource.id}`, resource);
      for (const number of history?.drop ?? []) changes.delete(number);
      for (const record of history?.put ?? []) changes.set(record.number, record);
      meta = { generation, revision };
    },
    scanHistory(see) {
      for (const record of changes.values()) see(record, Buffer.byteLength(JSON.stringify(record)));
    },
    readHistory: (number) => changes.get(number),
    async close() {},
  };
}
