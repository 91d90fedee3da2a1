import { writeSync } from "node:fs";
import { exhaustionOf, messageOf } from "../../abi/error-message.js";
import { isSystemFault } from "../../abi/write-fault.js";
import { openLmdbStore } from "./lmdb.js";
import { DamagedStoreError, type Store, type StoreState } from "./store.js";

/** What a probe prints, as JSON: nothing is wrong, or what is, and which resources are intact where that is known. */
export interface ProbeReport {
  fault?: string;
  intact?: string[];
  /** Reason for which the disk takes no write now, which harms nothing that is there. The probe is killed behind it. */
  refused?: string;
}

/**
 * Reads all of a store and writes its head anew, in a process of its own: LMDB trusts the pages of its file, and a
 * damaged one can end whoever reads it or writes into it. What the write has left is read as control will find it.
 */
async function probed(directory: string): Promise<ProbeReport> {
  try {
    const store = openLmdbStore(directory);
    const { generation, revision } = readAll(store);
    const refused = revision > 0 || generation > 0 ? refusalOfHead(store, generation, revision) : undefined;
    if (refused !== undefined) endWith({ refused });
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

/**
 * Reason for which a full, failing or read-only disk does not take the head, or undefined.
 * @throws StoreError where the pages do not take it
 */
function refusalOfHead(store: Store, generation: number, revision: number): string | undefined {
  try {
    store.commit({ put: [], remove: [], generation, revision });
    return undefined;
  } catch (error) {
    // Want of room is found before LMDB sees the write.
    if (!isSystemFault((error as Error).cause) && exhaustionOf(error) === undefined) throw error;
    return messageOf(error);
  }
}

/** Ends without another step in memory that LMDB may have damaged in the write that failed. */
function endWith(report: ProbeReport): void {
  writeSync(process.stdout.fd, JSON.stringify(report));
  process.kill(process.pid, "SIGKILL");
}

process.stdout.write(JSON.stringify(await probed(process.argv[2] ?? "")));
process.exit(0);
