import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { Change } from "../../compiler/model/input.js";
import type { Kind } from "../../compiler/model/resource.js";
import type { CompilerThread } from "../../compiler/thread/compiler-client.js";
import type { CompiledChange } from "../../compiler/thread/compiler-rpc.js";
import { messageOf } from "../abi/error-message.js";
import { log } from "../process/log.js";
import type { NamedCredentials } from "./named-credentials.js";
import type { Unpublished } from "./publication.js";
import type { ResourceCatalog } from "./resource-catalog.js";
import type { SecretMasking } from "./secret-masking.js";
import type { ChangeOrigin, JsonObject, SecretPath, StoreCommit, StoredResource } from "./store/store.js";

export interface Put {
  kind: Kind;
  id: string;
  value: JsonObject;
  /** Body as sent, if diagnostics should point into it; otherwise they point into `value` as JSON. */
  text?: string | undefined;
  /** Body as sent, if it differs. It is parsed first, so that every method rejects a repeated key. */
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
): Pick<StoreCommit, "put" | "remove" | "isBackground"> {
  const gone = absent.map(({ kind, id }) => ({
    kind,
    id,
    value: null,
    createdIndex: revision,
    modifiedIndex: revision,
  }));
  const background = origin.method === "EXPIRE" && { isBackground: true as const };
  if ("remove" in write) return { put: gone, remove: [write.remove], ...background };
  const { kind, id, value, expires, secrets = [] } = write.put;
  const createdIndex = resources.get(kind, id)?.createdIndex ?? revision;
  const resource = {
    ...{ kind, id, value, createdIndex, modifiedIndex: revision },
    ...(expires !== undefined && { expires }),
    ...(secrets.length > 0 && { secrets }),
  };
  return { put: [resource], remove: [] };
}

export interface SecretParts {
  compiler: Pick<CompilerThread, "secretPaths">;
  credentials: NamedCredentials;
  redaction: SecretMasking;
}

/** Replaces masks by secrets of the previous resource; returns the write with the paths of its secrets. */
export async function unmasked(
  put: Put,
  before: StoredResource | undefined,
  { compiler, credentials, redaction }: SecretParts,
): Promise<{ put: Put } | { refused: string }> {
  const { kind, id, value } = put;
  const isMasked = redaction.hasMask(value);
  // Most writes contain no masks, so the previous resource need not be searched.
  const searched = isMasked ? [{ kind, id, value }, before] : [{ kind, id, value }];
  const [[secrets = []]] = await Promise.all([
    compiler.secretPaths([{ kind, value }]),
    credentials.look(searched),
  ]);
  if (!isMasked) return { put: { ...put, secrets } };
  const sent = { kind, id, value, secrets, credentials: credentials.of({ value }) };
  const found = redaction.unmasked(sent, before);
  if ("unknown" in found) {
    const at = JSON.stringify(found.unknown.join("."));
    return {
      refused: `invalid configuration: property ${at} is the mask of a secret that the resource does not contain: send the secret`,
    };
  }
  if (found.value === value) return { put: { ...put, secrets } };
  await credentials.look([{ kind, id, value: found.value }]);
  return { put: { ...put, value: found.value, text: undefined, secrets } };
}

export type WriteResult =
  | {
      ok: true;
      resource: StoredResource | undefined;
      created: boolean;
      warnings: Diagnostic[];
    }
  | { ok: false; status: 400 | 503; errorMessage: string; diagnostics: Diagnostic[] };

export const NOT_COMPILED: WriteResult = {
  ok: false,
  status: 503,
  errorMessage: "the compiler failed on this write",
  diagnostics: [],
};

/** The compiler's thread died during the write; it restarts with its previous state. */
export function compilerFailed(error: unknown): CompiledChange {
  log("compiler_failed", { reason: messageOf(error) });
  return { diagnostics: [], errorMessage: "", delta: undefined, secrets: new Map(), absent: [] };
}

export function rejectedWrite(finding: Diagnostic): WriteResult {
  const errorMessage = `invalid configuration: ${finding.message}`;
  return { ok: false, status: 400, errorMessage, diagnostics: [finding] };
}

export const reasonIn = (unpublished: Unpublished) =>
  "refused" in unpublished ? unpublished.refused : unpublished.store;

/** Result of a compiled write whose generation was not published. */
export function unpublished(outcome: Unpublished, diagnostics: Diagnostic[]): WriteResult {
  if (!("refused" in outcome))
    return { ok: false, status: 503, errorMessage: outcome.store, diagnostics: [] };
  const { refused, code } = outcome;
  // Without a location, as only the worker knows its environment.
  const own: Diagnostic[] =
    code === undefined ? [] : [{ code, severity: "error", message: refused, notes: [] }];
  return { ok: false, status: 400, errorMessage: refused, diagnostics: [...diagnostics, ...own] };
}

export interface Counted {
  outcome: "accepted" | "refused" | "failed";
  /** Reason for a failure without a fault of the client. */
  reason?: string;
  /** The store accepted a write, so its disk works. */
  stored?: true;
}

export function countedAs(outcome: WriteResult): Counted {
  if (outcome.ok) return { outcome: "accepted", stored: true };
  const { status, errorMessage: reason } = outcome;
  return status === 503 ? { outcome: "failed", reason } : { outcome: "refused" };
}
