import { valueAt } from "../1-parse/values.js";
import { CredentialNames, distinctNames } from "../2-validate/credential-names.js";
import { maskedPaths } from "../2-validate/masked.js";
import { type CredentialLocation, credentialLocations } from "../2-validate/named-credentials.js";
import type { Inventory } from "../3-resolve/inventory.js";
import type { Resource } from "../model/resource.js";
import { runningNames } from "../secrets/running-names.js";

export interface FoundCredentials {
  /** Equal as long as the running configuration gives the same names. */
  key: string;
  places: CredentialLocation[][];
}

type Searched = Pick<Resource, "kind" | "value">;

/** Names come from the running configuration and the resources themselves. */
export function foundCredentials(running: Inventory, resources: readonly Searched[]): FoundCredentials {
  const known = runningNames(running);
  const { key } = new CredentialNames(() => known);
  const names = new CredentialNames(() => [...known, ...distinctNames(resources.map(({ value }) => value))]);
  return { key, places: resources.map((resource) => shownNowhere(resource, names)) };
}

/**
 * Finds values that no output shows. Those that a schema marks are included, since resources of a build come
 * without theirs.
 */
export function shownNowhere({ kind, value }: Searched, names: CredentialNames): CredentialLocation[] {
  const marked = maskedPaths(kind, value).map(
    (path): CredentialLocation => ({ path, name: "", stretches: [[0, String(valueAt(value, path)).length]] }),
  );
  const known = new Set(marked.map(({ path }) => JSON.stringify(path)));
  const named = credentialLocations(kind, value, names);
  return [...marked, ...named.filter(({ path }) => !known.has(JSON.stringify(path)))];
}
