import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import { log } from "../../process/log.js";
import type { ResourceCatalog } from "../resource-catalog.js";
import { textAt, withTexts } from "../secret-paths.js";
import type { Keyring } from "./keyring.js";
import {
  type HistoryRecord,
  type Store,
  type StoreCommit,
  type StoredResource,
  StoreError,
  type StoreState,
} from "./store.js";

/** Wraps a store to encrypt secrets in its file. Still reads plain ones of an earlier version. */
export function encryptedStore(store: Store, keys: Keyring): Store {
  const seal = (resource: StoredResource) => changed(resource, (text, place) => keys.seal(text, place));
  const open = (resource: StoredResource) =>
    changed(resource, (text, place) => (keys.isSealed(text) ? keys.open(text, place) : text));
  const sealed = ({ history, ...commit }: StoreCommit): StoreCommit => ({
    ...commit,
    put: commit.put.map(seal),
    history: history && { ...history, put: history.put.map((record) => both(record, seal)) },
  });
  return {
    ...store,
    load() {
      const state = store.load();
      return { ...state, resources: state.resources.map(open) };
    },
    makeRoom: (commit) => store.makeRoom(sealed(commit)),
    commit: (commit) => store.commit(sealed(commit)),
    readHistory(number) {
      const record = store.readHistory(number);
      return record && both(record, open);
    },
  };
}

const both = (
  record: HistoryRecord,
  change: (resource: StoredResource) => StoredResource,
): HistoryRecord => ({
  ...record,
  before: record.before && change(record.before),
  after: record.after && change(record.after),
});

function changed(resource: StoredResource, change: (text: string, place: string) => string): StoredResource {
  const { kind, id, value, secrets = [] } = resource;
  if (value === null || secrets.length === 0) return resource;
  const texts = secrets.map((path): [typeof path, string] => {
    const place = `${kind}/${id}/${path.join("/")}`;
    return [path, change(textAt(value, path) ?? "", place)];
  });
  return { ...resource, value: withTexts(value, texts) };
}

/** Encrypts secrets that an earlier version stored in plain text. */
export async function encryptOpenSecrets(
  { state, store }: { state: StoreState; store: Store },
  resources: ResourceCatalog,
  compiler: CompilerThread | null,
): Promise<void> {
  const { generation, revision } = state;
  const unknown = state.resources.filter(({ secrets, value }) => secrets === undefined && value !== null);
  // Skips the compiler at a start with nothing to encrypt.
  if (unknown.length === 0) return;
  const found = (await compiler?.secretPaths(unknown)) ?? [];
  const put = unknown.flatMap((resource, i) => {
    const secrets = found[i] ?? [];
    return secrets.length === 0 ? [] : [{ ...resource, secrets }];
  });
  if (put.length === 0) return;
  for (const resource of put) resources.put(resource);
  try {
    store.commit({ put, remove: [], generation, revision });
    log("secrets_encrypted", { resources: put.length });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log("secrets_not_encrypted", { reason: error.message });
  }
}
