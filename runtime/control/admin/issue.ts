import type { WriteContext } from "../configuration-parts.js";
import type { Services } from "../services.js";
import type { JsonObject } from "../store/store.js";
import { type ApiResponse, failure } from "./answer.js";
import type { AdminKind } from "./kinds.js";

/** Why a body (or the path into a resource) is refused that brings what only the gateway writes. */
export function ownField({ readOnlyFields = [] }: AdminKind, fields: Iterable<string>): string | undefined {
  for (const field of fields)
    if (readOnlyFields.includes(field)) return `the property is forbidden: ${field}, the gateway makes it`;
  return undefined;
}

/** Fields that are added to a resource before it is stored, and the secret that its writer is shown this once. */
export type Added = { fields: JsonObject; secret?: string } | { answer: ApiResponse };

export function issued(
  { segment, plugin, issue }: AdminKind,
  id: string,
  { resources }: WriteContext,
  services: Pick<Services, "end">,
): Added {
  // A resource from a file goes on to the compiler, which says where it is defined.
  if (!issue || plugin === undefined || resources.fromFile(segment, id)) return { fields: {} };
  const before = resources.get(segment, id)?.value ?? undefined;
  const made = issue(id, before, services.end(plugin));
  return "refused" in made ? { answer: failure(400, made.refused) } : made;
}
