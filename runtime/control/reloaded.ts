import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { ResourceName } from "../../compiler/resolve/resource.js";
import { pathOf } from "./admin/kinds.js";
import type { Unpublished } from "./publication.js";
import type { Statics } from "./resources.js";
import type { ChangeOrigin } from "./store/store.js";
import { type Counted, reasonIn } from "./written.js";

/** Outcome of reading the files again. */
export interface Reloaded extends Taken {
  /** Findings as `gwc check` prints them; "" when there are none. */
  report: string;
  diagnostics: Diagnostic[];
  deployment: unknown;
}

/** Outcome for files, or a build, that compile. */
export interface Taken {
  ok: boolean;
  /** Why not; "" when it went well. */
  reason: string;
  /** Absent: the store was not asked, since it holds that already or something else refused it. */
  store?: "committed" | "failed";
}

/** A resource of the store that files or a build take over, and who asked for that. */
export interface Adoption extends ResourceName {
  origin: ChangeOrigin;
}

/** "absent": the store has no such resource. */
export type Adopted = Reloaded | "absent";

/** Files, or a build, that nothing was compiled of. */
export function refused(reason: string): Reloaded {
  return { ...notTaken(reason), report: "", diagnostics: [], deployment: null };
}

export const notTaken = (reason: string): Taken => ({ ok: false, reason });

export function notPublished(unpublished: Unpublished): Taken {
  const taken = notTaken(reasonIn(unpublished));
  return "store" in unpublished ? { ...taken, store: "failed" } : taken;
}

export function countedReload({ ok, reason, store }: Taken): Counted {
  if (ok) return { outcome: "accepted", ...(store === "committed" && { stored: true }) };
  return store === "failed" ? { outcome: "failed", reason } : { outcome: "refused" };
}

/** Why files cannot take over resources, which they do not define; or undefined. */
export function undefinedIn({ names }: Statics, adopted: readonly ResourceName[]): string | undefined {
  for (const { kind, id } of adopted) {
    if (!names.includes(`${kind}/${id}`)) return `no configuration file defines ${pathOf(kind)}/${id}`;
  }
  return undefined;
}
