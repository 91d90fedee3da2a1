import { messageOf } from "../../abi/error-message.js";
import { openLmdbStore } from "./lmdb.js";
import { DamagedStoreError, type Store, type StoreState } from "./store.js";

/** What a probe prints, as JSON: nothing is wrong, or what is, and which resources are intact where that is known. */
export interface ProbeReport {
  fault?: string;
  intact?: string[];
}

/**
 * Reads all of a store and writes its head anew, in a process of its own: LMDB trusts the pages of its file, and a
 * damaged one can end whoever reads it or writes into it. What the write has left is read as control will find it.
 */
async function probed(directory: string): Promise<ProbeReport> {
  try {
    const store = openLmdbStore(directory);
    const { generation, revision } = readAll(store);
    if (revision > 0 || generation > 0) writeHead(store, generation, revision);
    await store.close();
    readAll(openLmdbStore(directory));
    return {};
  } catch (error) {
    const fault = messageOf(error);
    return error instanceof DamagedStoreError ? { fault, intact: [...error.intact] } : { fault };
  }
}

/** @throws StoreError */
function readAll(store: Store): StoreState {
  const state = store.load();
  store.scanHistory(() => undefined);
  return state;
}

/** @throws StoreError where the pages do not take the write; of a full or read-only disk a later write says so itself */
function writeHead(store: Store, generation: number, revision: number): void {
  try {
    store.commit({ put: [], remove: [], generation, revision });
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
    // LMDB's own errors are below zero, those of the system above it.
    if (typeof code !== "number" || code < 0) throw error;
  }
}

process.stdout.write(JSON.stringify(await probed(process.argv[2] ?? "")));
process.exit(0);
