import { join } from "node:path";
import { log } from "../process/log.js";
import { SavedGenerations } from "./saved-generations.js";
import { openLmdbStore } from "./store/lmdb.js";
import { memoryStore } from "./store/memory.js";
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
export function openStore(directory: string | null, runDirectory: string): OpenedStore {
  if (directory === null) {
    const store = memoryStore();
    return { store, state: store.load(), saved: new SavedGenerations(runDirectory), unusable: undefined };
  }
  try {
    const store = openLmdbStore(directory);
    const state = store.load();
    return { store, state, saved: new SavedGenerations(join(directory, "generations")), unusable: undefined };
  } catch (error) {
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

/** The directory may be what is unusable. */
function savedIn(directory: string, runDirectory: string): SavedGenerations {
  try {
    return new SavedGenerations(join(directory, "generations"));
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
