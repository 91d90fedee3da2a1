import type { Inventory } from "./resolve/inventory.js";
import { kinds, type Resource } from "./resolve/resource.js";
import { namesOfResources } from "./secret-texts.js";
import { type CredentialPlace, credentialPlaces } from "./validate/credential-places.js";

/** Credentials that their names tell. */
export interface FoundCredentials {
  /** Equal as long as the names of what runs are the same. */
  key: string;
  /** One list for each requested resource. */
  places: CredentialPlace[][];
}

/** Credentials of resources, by the names of what runs and of the resources themselves. */
export function foundCredentials(
  running: Inventory,
  resources: readonly Pick<Resource, "kind" | "value">[],
): FoundCredentials {
  const all = kinds().flatMap((kind) => [...running.all(kind).values()]);
  const { key } = namesOfResources(all);
  const names = namesOfResources([...all, ...resources]);
  return { key, places: resources.map(({ kind, value }) => credentialPlaces(kind, value, names)) };
}
