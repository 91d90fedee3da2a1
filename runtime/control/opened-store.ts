import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { farPage, isSystemFault, WriteFault } from "../abi/lmdb-guards.js";
import { log } from "../process/log.js";
import { GenerationStore } from "./generation-store.js";
import { encryptedStore } from "./store/encrypted.js";
import type { Keyring } from "./store/keyring.js";
import { openLmdbStore } from "./store/lmdb.js";
import type { ProbeReport } from "./store/probe.js";
import {
  DamagedStoreError,
  memoryStore,
  nameOf,
  type Store,
  type StoreCommit,
  StoreError,
  type StoreState,
} from "./store/store.js";

export interface OpenedStore {
  store: Store;
  state: StoreState;
  saved: GenerationStore;
  /** Reason why the store is unusable, or undefined. Reads and traffic continue then; writes receive 503. */
  unusable: string | undefined;
  /** Reason why the disk rejects writes now, or undefined. */
  refused?: string | undefined;
}

/**
 * @param directory directory of the store; null to store nothing, with generations in `runDirectory`
 * @param failed called for each write that the store rejects until the process restarts
 */
export function openStore(
  directory: string | null,
  runDirectory: string,
  keys: Keyring,
  failed: (isAsked: boolean) => void = () => {},
): OpenedStore {
  if (directory === null) {
    const store = memoryStore();
    return { store, state: store.load(), saved: new GenerationStore(runDirectory), unusable: undefined };
  }
  let store: Store | undefined;
  try {
    const refused = probe(directory);
    store = encryptedStore(closedAfterFault(openLmdbStore(directory), failed), keys);
    const state = store.load();
    const saved = new GenerationStore(join(directory, "generations"), runDirectory);
    refuseOlder(directory, state, saved);
    saved.noteStored(state.resources.map(nameOf), []);
    return { store: withNameLog(store, saved), state, saved, unusable: undefined, refused };
  } catch (error) {
    void store?.close();
    if (!(error instanceof StoreError)) throw error;
    const saved = savedIn(directory, runDirectory);
    const unusable = error.message + describeLost(error, saved);
    // The last known good generation is written again when it starts, and keeps the names.
    saved.noteStored([...saved.storedNames()], []);
    log("store_unusable", { reason: unusable });
    const dead = deadStore(unusable);
    return { store: dead, state: dead.load(), saved, unusable };
  }
}

/** Also records the names of stored resources in the generation log, in case the store is lost. */
function withNameLog(store: Store, saved: GenerationStore): Store {
  return {
    ...store,
    commit(commit) {
      store.commit(commit);
      saved.noteStored(commit.put.map(nameOf), commit.remove.map(nameOf));
    },
  };
}

const MAX_NAMED = 20;

function describeLost(error: StoreError, saved: GenerationStore): string {
  if (!(error instanceof DamagedStoreError)) return "";
  const lost = [...saved.storedNames()].filter((name) => !error.intact.has(name)).sort();
  if (lost.length === 0) return "";
  const more = lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : "";
  return `; missing: ${lost.slice(0, MAX_NAMED).join(", ")}${more}`;
}

const PROBE = new URL("./store/probe.js", import.meta.url);
const PROBE_MS = 30_000;

/** Maximum output of the probe: names of resources, one a line, 300,000 of 200 bytes. */
const PROBE_BYTES = 64 * 1024 * 1024;

/**
 * Reads the whole store in a separate process: if that fails or crashes, no other process may open it.
 * Returns the reason why the disk rejects writes now. @throws StoreError
 */
function probe(directory: string): string | undefined {
  const file = join(directory, "store.lmdb");
  if (!existsSync(file)) return undefined;
  const far = farPage(file);
  if (far !== undefined) throw new StoreError(`the store in ${directory} is damaged: ${far}`);
  if (!existsSync(PROBE)) return undefined;
  const { status, signal, stdout, stderr, error } = spawnSync(
    process.execPath,
    [fileURLToPath(PROBE), directory],
    { encoding: "utf8", timeout: PROBE_MS, maxBuffer: PROBE_BYTES },
  );
  // Too little memory for a process says nothing about the store: the launcher restarts control.
  if (error !== undefined && signal === null) throw error;
  const refusal = refusalIn(stdout);
  if (refusal !== undefined) return refusal;
  const ended = signal ?? (status === 0 ? undefined : `status ${status}: ${stderr.trim().slice(0, 1000)}`);
  if (ended !== undefined) {
    throw new StoreError(`the store in ${directory} is damaged: reading it ended with ${ended}`);
  }
  const { fault, intact } = JSON.parse(stdout) as ProbeReport;
  if (fault === undefined) return undefined;
  throw intact === undefined ? new StoreError(fault) : new DamagedStoreError(fault, intact);
}

/** Returns the reason why the disk rejects writes, from the report of a probe that exited right after it. */
function refusalIn(stdout: string): string | undefined {
  try {
    return (JSON.parse(stdout) as ProbeReport).refused;
  } catch {
    return undefined;
  }
}

/**
 * Rejects a store older than the generations. A file of length 0 opens as an empty store, and one with a
 * damaged newest page as it was before the last write. A start must not drop acknowledged writes.
 */
function refuseOlder(directory: string, { generation }: StoreState, saved: GenerationStore): void {
  const last = saved.restore(generation)?.number ?? 0;
  if (last <= generation) return;
  const is = generation === 0 ? "is empty" : `is at generation ${generation}`;
  throw new StoreError(
    `the store in ${directory} ${is}, but generation ${last} was stored in it: ` +
      `restore store.lmdb, or remove ${saved.directory} too to start ${generation === 0 ? "empty" : "at that generation"}`,
  );
}

/** The directory itself may be unusable. */
function savedIn(directory: string, runDirectory: string): GenerationStore {
  try {
    return new GenerationStore(join(directory, "generations"), runDirectory);
  } catch {
    return new GenerationStore(runDirectory);
  }
}

function deadStore(reason: string): Store {
  const fail = () => {
    throw new StoreError(reason);
  };
  return {
    load: () => ({ generation: 0, revision: 0, resources: [] }),
    ...{ makeRoom: fail, commit: fail, readHistory: fail },
    scanHistory() {},
    async close() {},
  };
}

/**
 * Rejects all writes after one that failed with a system error, before LMDB sees them.
 * @param failed called for that write and each later one; `isAsked` is false for a write of the gateway
 */
export function closedAfterFault(store: Store, failed: (isAsked: boolean) => void): Store {
  const fault = new WriteFault(
    (reason) => new StoreError(`the store rejects writes until control has restarted: ${reason}`),
    failed,
  );
  const isAsked = ({ isBackground }: StoreCommit) => isBackground !== true;
  return {
    ...store,
    makeRoom(commit) {
      fault.refuse(isAsked(commit));
      store.makeRoom(commit);
    },
    commit(commit) {
      fault.refuse(isAsked(commit));
      try {
        store.commit(commit);
      } catch (error) {
        const { cause } = error as Error;
        // LMDB wrote "Write error: …" to standard error without a newline; the next log line must not continue it.
        if (isSystemFault(cause)) process.stderr.write("\n");
        fault.note(cause, isAsked(commit));
        throw error;
      }
    },
  };
}
