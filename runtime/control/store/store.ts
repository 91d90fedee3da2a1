import type { Kind } from "../../../compiler/resolve/resource.js";

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
}

/** The store did not take a write; what it held before is unharmed. */
export class StoreError extends Error {}

/** What was acknowledged is not all there, or not as it was written. */
export class DamagedStoreError extends StoreError {
  /** What is left, each as it was written: "routes/shop". */
  readonly intact: ReadonlySet<string>;

  /** @param count of resources that were written, where it is known */
  constructor(directory: string, intact: readonly { kind: Kind; id: string }[], count: number | undefined) {
    const of = count === undefined ? "" : ` of ${count}`;
    super(`the store in ${directory} is damaged: ${intact.length}${of} resources can be read`);
    this.intact = new Set(intact.map(nameOf));
  }
}

/** "routes/shop": how messages and the log of generations name a resource. */
export const nameOf = ({ kind, id }: { kind: Kind; id: string }): string => `${kind}/${id}`;

/** Durable home of what the admin API writes. Only control opens it. */
export interface Store {
  /** @throws StoreError when the content cannot be read. */
  load(): StoreState;
  /** All of it or nothing, on disk when it returns. @throws StoreError */
  commit(commit: StoreCommit): void;
  close(): Promise<void>;
}

/** Where a secret stands in a resource's value. */
export type SecretPath = readonly (string | number)[];

/** A store without a disk: for embedding, and for `gwc run dist/` where nothing is written. */
export function memoryStore(): Store {
  let meta = { generation: 0, revision: 0 };
  const resources = new Map<string, StoreState["resources"][number]>();
  return {
    load: () => ({ ...meta, resources: [...resources.values()] }),
    commit({ put, remove, generation, revision }) {
      for (const { kind, id } of remove) resources.delete(`${kind}/${id}`);
      for (const resource of put) resources.set(`${resource.kind}/${resource.id}`, resource);
      meta = { generation, revision };
    },
    async close() {},
  };
}
