import { valueAt } from "../1-parse/values.js";
import type { Kind } from "../model/resource.js";
import type { Path } from "../model/source.js";
import type { TextRange } from "../variables/credential-text.js";
import type { CredentialNames } from "./credential-names.js";
import { credentialsOfResource } from "./named-credentials.js";

/** Credential recognised by its name instead of a schema: ranges of the text (or number) at a path. */
export interface CredentialLocation {
  path: Path;
  /** Field, variable or argument that holds it. */
  name: string;
  stretches: readonly TextRange[];
}

/** Matches a word in front of a credential that reveals nothing: the rest of "Bearer ${{TOKEN}}". */
const SCHEME = /^\s*(?:bearer|basic|digest|token|apikey|negotiate)\s*$/i;

/** The schema may also mark some of them as secret. */
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
