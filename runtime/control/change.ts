import type { Change } from "../../compiler/input.js";
import type { Kind } from "../../compiler/resolve/resource.js";
import type { ResourceCatalog } from "./resource-catalog.js";
import type { ChangeOrigin, JsonObject, SecretPath, StoreCommit } from "./store/store.js";

/** A resource that is written whole. */
export interface Put {
  kind: Kind;
  id: string;
  value: JsonObject;
  /** Body as sent, where findings should point into it; else they point into `value` as JSON. */
  text?: string | undefined;
  /** Body as sent, of a write that has one. */
  sent?: string;
  method: "PUT" | "POST" | "PATCH";
  /** Epoch seconds. */
  expires?: number;
  /** Where the value holds secrets; found when it is written. */
  secrets?: readonly SecretPath[];
}

/** One change of an admin write. */
export type Write = { put: Put } | { remove: { kind: Kind; id: string; force: boolean } };

/** What the compiler is told of a write. */
export function compilerChange(write: Write): Change {
  if ("remove" in write) return write;
  const { kind, id, value, text, sent, method } = write.put;
  return { put: { kind, id, text: text ?? JSON.stringify(value), sent, method } };
}

/** Facts of a write beside its resource. */
export interface WriteContext {
  /** Deleted by force while others name them. */
  absent: readonly { kind: Kind; id: string }[];
  revision: number;
  origin: Pick<ChangeOrigin, "method">;
}

/** Part of a write that the store takes. */
export function commitOf(
  write: Write,
  { absent, revision, origin }: WriteContext,
  resources: Pick<ResourceCatalog, "get">,
): Pick<StoreCommit, "put" | "remove" | "unasked"> {
  const gone = absent.map(({ kind, id }) => ({
    kind,
    id,
    value: null,
    createdIndex: revision,
    modifiedIndex: revision,
  }));
  const unasked = origin.method === "EXPIRE" && { unasked: true as const };
  if ("remove" in write) return { put: gone, remove: [write.remove], ...unasked };
  const { kind, id, value, expires, secrets = [] } = write.put;
  const createdIndex = resources.get(kind, id)?.createdIndex ?? revision;
  const resource = {
    ...{ kind, id, value, createdIndex, modifiedIndex: revision },
    ...(expires !== undefined && { expires }),
    ...(secrets.length > 0 && { secrets }),
  };
  return { put: [resource], remove: [] };
}
