import { valueAt } from "./parse/values.js";
import type { Inventory } from "./resolve/inventory.js";
import type { Resource } from "./resolve/resource.js";
import { runningNames } from "./running-names.js";
import { type CredentialLocation, credentialLocations } from "./validate/credential-locations.js";
import { CredentialNames, distinctNames } from "./validate/credential-names.js";
import { maskedPaths } from "./validate/masked.js";

/** Credentials that their names tell. */
export interface FoundCredentials {
  /** Equal as long as the names of what runs are the same. */
  key: string;
  /** One list for each requested resource. */
  places: CredentialLocation[][];
}

type Searched = Pick<Resource, "kind" | "value">;

/** Credentials of resources, by the names of what runs and of the resources themselves. */
export function foundCredentials(running: Inventory, resources: readonly Searched[]): FoundCredentials {
  const known = runningNames(running);
  const { key } = new CredentialNames(() => known);
  const names = new CredentialNames(() => [...known, ...distinctNames(resources.map(({ value }) => value))]);
  return { key, places: resources.map((resource) => shownNowhere(resource, names)) };
}

/** Places of what no answer shows; those that a schema marks as well, since the resources of a build come without theirs. */
export function shownNowhere({ kind, value }: Searched, names: CredentialNames): CredentialLocation[] {
  const marked = maskedPaths(kind, value).map(
    (path): CredentialLocation => ({ path, name: "", stretches: [[0, String(valueAt(value, path)).length]] }),
  );
  const known = new Set(marked.map(({ path }) => JSON.stringify(path)));
  const named = credentialLocations(kind, value, names);
  return [...marked, ...named.filter(({ path }) => !known.has(JSON.stringify(path)))];
}
