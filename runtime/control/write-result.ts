import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { messageOf } from "../abi/error-message.js";
import { log } from "../process/log.js";
import type { CompiledWrite } from "./compiler.js";
import type { Unpublished } from "./publication.js";
import type { StoredResource } from "./store/store.js";

/** What became of a write. */
export type WriteResult =
  | {
      ok: true;
      resource: StoredResource | undefined;
      created: boolean;
      /** What the write was not refused for. */
      warnings: Diagnostic[];
    }
  | { ok: false; status: 400 | 503; errorMessage: string; diagnostics: Diagnostic[] };

export const NOT_COMPILED: WriteResult = {
  ok: false,
  status: 503,
  errorMessage: "the compiler failed on this write",
  diagnostics: [],
};

/** The compiler's thread died of the write; it is started again with what it knew before. */
export function compilerFailed(error: unknown): CompiledWrite {
  log("compiler_failed", { reason: messageOf(error) });
  return { diagnostics: [], errorMessage: "", delta: undefined, secrets: new Map(), absent: [] };
}

export function rejectedWrite(finding: Diagnostic): WriteResult {
  const errorMessage = `invalid configuration: ${finding.message}`;
  return { ok: false, status: 400, errorMessage, diagnostics: [finding] };
}

/** Why a generation was not published. */
export const reasonIn = (unpublished: Unpublished) =>
  "refused" in unpublished ? unpublished.refused : unpublished.store;

/** A write that was compiled, but whose generation was not published. */
export function unpublished(outcome: Unpublished, diagnostics: Diagnostic[]): WriteResult {
  if (!("refused" in outcome))
    return { ok: false, status: 503, errorMessage: outcome.store, diagnostics: [] };
  const found = [...diagnostics, ...refusal(outcome)];
  return { ok: false, status: 400, errorMessage: outcome.refused, diagnostics: found };
}

/** What a worker refused, as a finding: it has no place, since only the running process knows its environment. */
function refusal({ refused, code }: { refused: string; code?: string }): Diagnostic[] {
  return code === undefined ? [] : [{ code, severity: "error", message: refused, notes: [] }];
}

/** A write or a reload, as it is counted. */
export interface Counted {
  outcome: "accepted" | "refused" | "failed";
  /** Why it failed, which was no fault of the writer. */
  reason?: string;
  /** The store has taken something, so that its disk works. */
  stored?: true;
}

export function countedAs(outcome: WriteResult): Counted {
  if (outcome.ok) return { outcome: "accepted", stored: true };
  const { status, errorMessage: reason } = outcome;
  return status === 503 ? { outcome: "failed", reason } : { outcome: "refused" };
}
