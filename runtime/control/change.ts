import type { Change } from "../../compiler/model/input.js";
import type { Kind } from "../../compiler/model/resource.js";
import type { ResourceCatalog } from "./resource-catalog.js";
import type { ChangeOrigin, JsonObject, SecretPath, StoreCommit } from "./store/store.js";

export interface Put {
  kind: Kind;
  id: string;
  value: JsonObject;
  /** Body as sent, if diagnostics should point into it; otherwise they point into `value` as JSON. */
  text?: string | undefined;
  sent?: string;
  method: "PUT" | "POST" | "PATCH";
  /** Epoch seconds. */
  expires?: number;
  secrets?: readonly SecretPath[];
}

export type Write = { put: Put } | { remove: { kind: Kind; id: string; force: boolean } };

export function compilerChange(write: Write): Change {
  if ("remove" in write) return write;
  const { kind, id, value, text, sent, method } = write.put;
  return { put: { kind, id, text: text ?? JSON.stringify(value), sent, method } };
}

export interface CommitDetails {
  /** Resources deleted by force while others refer to them. */
  absent: readonly { kind: Kind; id: string }[];
  revision: number;
  origin: Pick<ChangeOrigin, "method">;
}

export function commitOf(
  write: Write,
  { absent, revision, origin }: CommitDetails,
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
