import { log } from "../../process/log.js";
import type { Adoption } from "../reloaded.js";
import type { ResourceCatalog, StaticResource } from "../resource-catalog.js";
import { type Store, type StoreCommit, StoreError, storeFullReason } from "../store/store.js";
import { type FileChange, reloadHistory } from "./file-changes.js";
import type { Changed, History } from "./history.js";

interface Parts {
  resources: ResourceCatalog;
  history: History;
}

interface OfFiles {
  /** Revision of the commit; the numbers of history entries continue from it. */
  revision: number;
  adopted: readonly Adoption[];
  /** Resources as the files define them now, at least the adopted ones. */
  written: readonly StaticResource[];
  changes: readonly FileChange[];
}

export function commitOfFiles(
  { resources, history }: Parts,
  { revision, adopted, written, changes }: OfFiles,
): Omit<StoreCommit, "generation"> {
  const isAdopted = (kind: string, id: string) => adopted.some((one) => one.kind === kind && one.id === id);
  const takenOver = adopted.map(({ kind, id, origin }): Changed => {
    const found = written.find((one) => one.kind === kind && one.id === id) ?? resources.fromFile(kind, id);
    const before = resources.get(kind, id);
    return { ...{ origin, kind, id, before, after: undefined }, adopted: found?.value };
  });
  const others = changes.filter(({ before, after }) => {
    const known = after ?? before;
    return known === undefined || !isAdopted(known.kind, known.id);
  });
  const kept = history.prepare(revision, [...takenOver, ...reloadHistory(others, history.limits)]);
  return {
    put: [],
    remove: adopted.map(({ kind, id }) => ({ kind, id })),
    revision: Math.max(revision, ...(kept?.put ?? []).map(({ number }) => number)),
    history: kept,
  };
}

/** Stores a change of files without effect. The reload succeeds even if nothing is stored. */
export function storeUnpublished(store: Store, history: History, commit: StoreCommit): boolean {
  if (commit.history === undefined || storeFullReason(store, commit) !== undefined) return false;
  try {
    store.commit(commit);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log("history_not_stored", { reason: error.message });
    return false;
  }
  history.committed(commit.history);
  return true;
}
