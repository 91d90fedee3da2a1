import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { ResourceName } from "../../compiler/resolve/resource.js";
import { pathOf } from "./admin/kinds.js";
import type { Statics } from "./resources.js";
import type { ChangeOrigin } from "./store/store.js";

/** A resource of the store that files or a build take over, and who asked for that. */
export interface Adoption extends ResourceName {
  origin: ChangeOrigin;
}

/** "absent": the store has no such resource. */
export type Adopted = Reloaded | "absent";

/** Outcome of reading the files again. */
export interface Reloaded {
  ok: boolean;
  /** Why not; "" when it went well. */
  reason: string;
  /** Findings as `gwc check` prints them; "" when there are none. */
  report: string;
  diagnostics: Diagnostic[];
  deployment: unknown;
}

/** Why files cannot take over resources, which they do not define; or undefined. */
export function undefinedIn({ names }: Statics, adopted: readonly ResourceName[]): string | undefined {
  for (const { kind, id } of adopted) {
    if (!names.includes(`${kind}/${id}`)) return `no configuration file defines ${pathOf(kind)}/${id}`;
  }
  return undefined;
}
