import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { log } from "../process/log.js";
import { SavedGenerations } from "./saved-generations.js";
import type { Keyring } from "./store/keyring.js";
import { openLmdbStore } from "./store/lmdb.js";
import { memoryStore } from "./store/memory.js";
import { sealedStore } from "./store/sealed.js";
import { type Store, StoreError, type StoreState } from "./store/store.js";

/** The store and the saved generations as found at start. */
export interface OpenedStore {
  store: Store;
  state: StoreState;
  saved: SavedGenerations;
  /** Why the store cannot be used, or undefined. Reads and traffic go on then, writes answer 503. */
  unusable: string | undefined;
}

/** @param directory of the store; null: nothing is kept beyond this process, generations go to `runDirectory` */
export function openStore(directory: string | null, runDirectory: string, keys: Keyring): OpenedStore {
  if (directory === null) {
    const store = memoryStore();
    return { store, state: store.load(), saved: new SavedGenerations(runDirectory), unusable: undefined };
  }
  let store: Store | undefined;
  try {
    probe(directory);
    store = sealedStore(openLmdbStore(directory), keys);
    const state = store.load();
    const saved = new SavedGenerations(join(directory, "generations"), runDirectory);
    refuseEmptied(directory, state, saved);
    return { store, state, saved, unusable: undefined };
  } catch (error) {
    void store?.close();
    if (!(error instanceof StoreError)) throw error;
    log("store_unusable", { reason: error.message });
    const state = { generation: 0, revision: 0, resources: [] };
    return {
      store: deadStore(error.message),
      state,
      saved: savedIn(directory, runDirectory),
      unusable: error.message,
    };
  }
}

const PROBE = new URL("./store/probe.js", import.meta.url);
const PROBE_MS = 30_000;

/** @throws StoreError when a process that reads the store fails or dies of it */
function probe(directory: string): void {
  if (!existsSync(join(directory, "store.lmdb")) || !existsSync(PROBE)) return;
  const { status, signal, stderr } = spawnSync(process.execPath, [fileURLToPath(PROBE), directory], {
    encoding: "utf8",
    timeout: PROBE_MS,
  });
  if (status === 0) return;
  throw new StoreError(
    signal ? `the store in ${directory} is damaged: reading it ended with ${signal}` : stderr.trim(),
  );
}

/** A file of length 0 opens as an empty store; what it held is not to be dropped from the running gateway for that. */
function refuseEmptied(directory: string, { generation }: StoreState, saved: SavedGenerations): void {
  const last = generation === 0 ? saved.restore() : undefined;
  if (!last) return;
  throw new StoreError(
    `the store in ${directory} is empty, but generation ${last.number} was kept in it: ` +
      `bring back store.lmdb, or remove ${saved.directory} too to start afresh`,
  );
}

/** The directory may be what is unusable. */
function savedIn(directory: string, runDirectory: string): SavedGenerations {
  try {
    return new SavedGenerations(join(directory, "generations"), runDirectory);
  } catch {
    return new SavedGenerations(runDirectory);
  }
}

function deadStore(reason: string): Store {
  return {
    load: () => ({ generation: 0, revision: 0, resources: [] }),
    commit() {
      throw new StoreError(reason);
    },
    async close() {},
  };
}
