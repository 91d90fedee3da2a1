import type { WriteContext } from "../configuration-parts.js";
import type { Services } from "../services.js";
import type { JsonObject } from "../store/store.js";
import { type ApiResponse, failure } from "./answer.js";
import type { AdminKind } from "./kinds.js";

/** Returns the reason to reject a body, or path into a resource, with a field that only the gateway sets. */
export function ownField({ readOnlyFields = [] }: AdminKind, fields: Iterable<string>): string | undefined {
  for (const field of fields)
    if (readOnlyFields.includes(field)) return `the property is forbidden: ${field}, the gateway sets it`;
  return undefined;
}

/** Fields added to a resource before it is stored, and the secret that its writer sees only this once. */
export type Added = { fields: JsonObject; secret?: string } | { answer: ApiResponse };

export function issued(
  { segment, plugin, issue }: AdminKind,
  id: string,
  { resources }: WriteContext,
  services: Pick<Services, "end">,
): Added {
  // The compiler rejects a write to a resource from a file and names its location.
  if (!issue || plugin === undefined || resources.fromFile(segment, id)) return { fields: {} };
  const before = resources.get(segment, id)?.value ?? undefined;
  const made = issue(id, before, services.end(plugin));
  return "refused" in made ? { answer: failure(400, made.refused) } : made;
}
