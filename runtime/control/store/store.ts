import type { Kind } from "../../../compiler/resolve/resource.js";
import { log } from "../../process/log.js";

/** A JSON object as the admin API stores and returns it. */
export type JsonObject = { [name: string]: unknown };

/** A resource written through the admin API. */
export interface StoredResource {
  kind: Kind;
  /** As text; `value.id` may be a number. */
  id: string;
  /** Null: deleted by force while others still name it. */
  value: JsonObject | null;
  /** Revision of the store that created it. */
  createdIndex: number;
  /** Revision of the store that wrote it last. */
  modifiedIndex: number;
  /** Epoch seconds after which it is removed (`?ttl=`). */
  expires?: number;
  /** Where its secrets stand; absent when it has none, or when nobody has looked yet. */
  secrets?: readonly SecretPath[];
}

/** Who asks for a change, from where, and why. */
export interface ChangeOrigin {
  /** Name of the key; null: none was needed, or it was the gateway itself. */
  key: string | null;
  /** Of the peer; null: the gateway itself. */
  address: string | null;
  /** Why, in the words of whoever asked; null: nothing was said. */
  note: string | null;
  /** "EXPIRE": the time of a resource was over; "ADOPT": files or a build took it over; "RELOAD": it was changed there. */
  method: "PUT" | "POST" | "PATCH" | "DELETE" | "EXPIRE" | "ADOPT" | "RELOAD";
  /** Number of the change that this one takes back. */
  reverts?: number;
}

/** What the list of changes tells of one, and all of it that is kept in memory. */
export interface HistoryEntry extends ChangeOrigin {
  /** Revision of the store that the change made: `modifiedIndex` of what it wrote. */
  number: number;
  /** ISO 8601. */
  time: string;
  kind: Kind;
  id: string;
  /** Paths of the fields that differ. */
  changed: readonly string[];
  /** Place of a resource of the files, "gateway.yaml:10:5"; of one that is gone, where it stood. */
  place?: string;
  /** Sum of the reload that it came with. */
  reload?: ReloadSum;
}

/** Resources of files, or of a build, that one reload concerned. */
export interface ReloadSum {
  made: number;
  changed: number;
  deleted: number;
  /** Changes that have an entry in the history. */
  kept: number;
}

/** What a change did to its resource. */
export type Deed = "made" | "changed" | "deleted";

/** A change as lists have it. */
export interface ListedChange extends HistoryEntry {
  did: Deed;
}

/** One change as the store keeps it, in the transaction that makes it; secrets are sealed there as those of resources are. */
export interface HistoryRecord extends HistoryEntry {
  /** Null: there was none. */
  before: StoredResource | null;
  /** Null: there is none any more. */
  after: StoredResource | null;
}

/** What a commit does to the history. */
export interface HistoryCommit {
  put: readonly HistoryRecord[];
  /** Numbers of the oldest, which make room. */
  drop: readonly number[];
}

export interface StoreState {
  /** Generation that the last commit made, 0 for an empty store. */
  generation: number;
  /** Counted up by each commit. */
  revision: number;
  resources: StoredResource[];
}

export interface StoreCommit {
  put: StoredResource[];
  remove: { kind: Kind; id: string }[];
  generation: number;
  revision: number;
  /** What the change is told by later; absent: nothing is kept of it. */
  history?: HistoryCommit | undefined;
  /** The gateway itself writes: the time of a resource is over. */
  unasked?: true;
}

/** The store did not take a write; what it held before is unharmed. */
export class StoreError extends Error {}

/** What was acknowledged is not all there, or not as it was written. */
export class DamagedStoreError extends StoreError {
  /** What is left, each as it was written: "routes/shop". */
  readonly intact: ReadonlySet<string>;

  constructor(message: string, intact: Iterable<string>) {
    super(message);
    this.intact = new Set(intact);
  }
}

/** "routes/shop": how messages and the log of generations name a resource. */
export const nameOf = ({ kind, id }: { kind: Kind; id: string }): string => `${kind}/${id}`;

/** Durable home of what the admin API writes. Only control opens it. */
export interface Store {
  /** @throws StoreError when the content cannot be read. */
  load(): StoreState;
  /** Makes sure that the disk has room for a commit. @throws StoreError */
  makeRoom(commit: StoreCommit): void;
  /** All of it or nothing, on disk when it returns. @throws StoreError */
  commit(commit: StoreCommit): void;
  /** Shows every change that is kept, oldest first, secrets as the file has them; `bytes` of its record. */
  scanHistory(see: (record: HistoryRecord, bytes: number) => void): void;
  /** One change; undefined where it is not kept. @throws StoreError when it cannot be read */
  readHistory(number: number): HistoryRecord | undefined;
  close(): Promise<void>;
}

/** Why a store has no room for a commit, asked before workers and the log of generations hear of it; undefined: it has. */
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

/** Where a secret stands in a resource's value. */
export type SecretPath = readonly (string | number)[];

/** A store without a disk: for embedding, and for `gwc run dist/` where nothing is written. */
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
