import { same } from "../../abi/three-way.js";
import { log } from "../../process/log.js";
import type { Adoption } from "../reloaded.js";
import type { ResourceCatalog, StaticResource, StaticResourceDelta } from "../resource-catalog.js";
import { withTexts } from "../secret-paths.js";
import {
  type ChangeOrigin,
  nameOf,
  type ReloadSum,
  type Store,
  type StoreCommit,
  type StoredResource,
  StoreError,
  storeFullReason,
} from "../store/store.js";
import { bytesOf, type Changed, type History, type HistoryLimits } from "./history.js";

export interface FileChange {
  before: StaticResource | undefined;
  after: StaticResource | undefined;
}

/** Maximum entries of one reload: a new file of 20,000 routes would evict all others. */
const MOST = 100;
/** Divisor of the history's byte limit: one reload may use a quarter. */
const SHARE = 4;
const RELOAD: ChangeOrigin = { key: null, address: null, note: null, method: "RELOAD" };

/** Returns the changed resources of files; one that only moved within them is unchanged. */
export function fileChanges(
  { ofFiles }: Pick<ResourceCatalog, "ofFiles">,
  { names, put }: StaticResourceDelta,
): readonly FileChange[] {
  const left = new Set(names);
  const changes: FileChange[] = put.map((after) => ({ before: ofFiles.get(nameOf(after)), after }));
  for (const [name, before] of ofFiles) if (!left.has(name)) changes.push({ before, after: undefined });
  return changes.filter(
    ({ before, after }) => !before || !after || !same(asWritten(before), asWritten(after)),
  );
}

/** Value with variables by name, as reads show it. */
const asWritten = ({ value, written = [] }: StaticResource) => withTexts(value, written);

/** Returns the changes of a reload that the history keeps within its limits; always the first one. */
function reloadHistory(changes: readonly FileChange[], limits: HistoryLimits): Changed[] {
  const told: Changed[] = [];
  let bytes = 0;
  for (const change of changes.slice(0, Math.min(MOST, limits.entries))) {
    const one = changedOf(change);
    if (one === undefined) continue;
    bytes += sizeOf(one);
    if (told.length > 0 && bytes > limits.bytes / SHARE) break;
    told.push(one);
  }
  const count = (is: (change: FileChange) => boolean) => changes.filter(is).length;
  const reload: ReloadSum = {
    made: count(({ before }) => !before),
    changed: count(({ before, after }) => before !== undefined && after !== undefined),
    deleted: count(({ after }) => !after),
    kept: told.length,
  };
  return told.map((one) => ({ ...one, reload }));
}

function changedOf({ before, after }: FileChange): Changed | undefined {
  const known = after ?? before;
  return (
    known && {
      ...{ origin: RELOAD, kind: known.kind, id: known.id, place: known.place },
      ...{ before: before && kept(before), after: after && kept(after) },
    }
  );
}

const sizeOf = ({ origin, kind, id, before, after }: Changed): number =>
  bytesOf({
    ...{ ...origin, number: 0, time: "", kind, id, changed: [] },
    ...{ before: before ?? null, after: after ?? null },
  });

function kept(resource: StaticResource): StoredResource {
  const { kind, id, secrets } = resource;
  return {
    ...{ kind, id, value: asWritten(resource), createdIndex: 0, modifiedIndex: 0 },
    ...(secrets && { secrets }),
  };
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
  { resources, history }: { resources: ResourceCatalog; history: History },
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
