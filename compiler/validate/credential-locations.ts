import type { TextRange } from "../diagnostics/credential-text.js";
import type { Path } from "../parse/source.js";
import { valueAt } from "../parse/values.js";
import type { Kind } from "../resolve/resource.js";
import type { CredentialNames } from "./credential-names.js";
import { credentialsOfResource } from "./named-credentials.js";

/** Place of a credential that its name tells, and no schema, in a resource: stretches of the text (or number) at a path. */
export interface CredentialLocation {
  path: Path;
  /** Name of what holds it. */
  name: string;
  stretches: readonly TextRange[];
}

/** A word that stands before a credential and tells nothing: what is left of "Bearer ${{TOKEN}}". */
const SCHEME = /^\s*(?:bearer|basic|digest|token|apikey|negotiate)\s*$/i;

/** Credentials by name of one resource; its schema may mark some of them as secret, too. */
export function credentialLocations(
  kind: Kind,
  value: unknown,
  names: CredentialNames,
): CredentialLocation[] {
  const found = credentialsOfResource(kind, value, names);
  if (found.length === 0) return [];
  return found.flatMap(({ path, name, stretches }) => {
    const text = String(valueAt(value, path));
    const telling = stretches.filter(([start, end]) => !SCHEME.test(text.slice(start, end)));
    return telling.length === 0 ? [] : [{ path, name, stretches: telling }];
  });
}
