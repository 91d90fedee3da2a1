import type { Put } from "./change.js";
import type { ControlCompiler } from "./compiler.js";
import type { NamedCredentials } from "./named-credentials.js";
import type { SecretMasking } from "./secret-masking.js";
import type { StoredResource } from "./store/store.js";

export interface SecretParts {
  compiler: Pick<ControlCompiler, "secretPaths">;
  credentials: NamedCredentials;
  redaction: SecretMasking;
}

/** Replaces masks by secrets of the previous resource; returns the write with the paths of its secrets. */
export async function unmasked(
  put: Put,
  before: StoredResource | undefined,
  { compiler, credentials, redaction }: SecretParts,
): Promise<{ put: Put } | { refused: string }> {
  const { kind, id, value } = put;
  const isMasked = redaction.hasMask(value);
  // Most writes contain no masks, so the previous resource need not be searched.
  const searched = isMasked ? [{ kind, id, value }, before] : [{ kind, id, value }];
  const [[secrets = []]] = await Promise.all([
    compiler.secretPaths([{ kind, value }]),
    credentials.look(searched),
  ]);
  if (!isMasked) return { put: { ...put, secrets } };
  const sent = { kind, id, value, secrets, credentials: credentials.of({ value }) };
  const found = redaction.unmasked(sent, before);
  if ("unknown" in found) {
    const at = JSON.stringify(found.unknown.join("."));
    return {
      refused: `invalid configuration: property ${at} is the mask of a secret that the resource does not contain: send the secret`,
    };
  }
  if (found.value === value) return { put: { ...put, secrets } };
  await credentials.look([{ kind, id, value: found.value }]);
  return { put: { ...put, value: found.value, text: undefined, secrets } };
}
