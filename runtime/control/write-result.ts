import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import { messageOf } from "../abi/error-message.js";
import { log } from "../process/log.js";
import type { CompiledWrite } from "./compiler.js";
import type { Unpublished } from "./publication.js";
import type { StoredResource } from "./store/store.js";

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
export function compilerFailed(error: unknown): CompiledWrite {
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
  const found = [...diagnostics, ...refusal(outcome)];
  return { ok: false, status: 400, errorMessage: outcome.refused, diagnostics: found };
}

/** Rejection by a worker as a diagnostic without location: only that process knows its environment. */
function refusal({ refused, code }: { refused: string; code?: string }): Diagnostic[] {
  return code === undefined ? [] : [{ code, severity: "error", message: refused, notes: [] }];
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
