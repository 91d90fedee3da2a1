import { writeSync } from "node:fs";
import { exhaustionOf, messageOf } from "../../abi/error-message.js";
import { isSystemFault } from "../../abi/lmdb-guards.js";
import { openLmdbStore } from "./lmdb.js";
import { DamagedStoreError, type Store, type StoreState } from "./store.js";

/** Output of a probe, as JSON: empty if all is well, else the fault and the intact resources if known. */
export interface ProbeReport {
  fault?: string;
  intact?: string[];
  /** Reason why the disk rejects writes now, which damages nothing. The probe is killed right after it. */
  refused?: string;
}

/**
 * Reads all of a store and writes its head again, in a process of its own: LMDB trusts the pages of its file,
 * and a damaged one can crash its reader or writer. Reads once more after the write, as control will.
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

/** Reason why a full, failing or read-only disk rejects the head. @throws StoreError if damaged pages reject it */
function refusalOfHead(store: Store, generation: number, revision: number): string | undefined {
  try {
    store.commit({ put: [], remove: [], generation, revision });
    return undefined;
  } catch (error) {
    // Lack of space is detected before LMDB sees the write.
    if (!isSystemFault((error as Error).cause) && exhaustionOf(error) === undefined) throw error;
    return messageOf(error);
  }
}

/** Exits at once, without using memory that LMDB may have damaged in the failed write. */
function endWith(report: ProbeReport): void {
  writeSync(process.stdout.fd, JSON.stringify(report));
  process.kill(process.pid, "SIGKILL");
}

process.stdout.write(JSON.stringify(await probed(process.argv[2] ?? "")));
process.exit(0);
