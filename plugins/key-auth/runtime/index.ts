import { createHash } from "node:crypto";
import { type PluginRuntime, resolvedText } from "../../../runtime/abi/plugin-api.js";

export interface ConsumerKeys {
  /** Byte string; undefined for a wrong or absent key. */
  find(key: string | undefined): string | undefined;
}

const DIGEST = "sha256:";

/**
 * A key is "sha256:<hex>" or a text with `${{VAR}}`. References are resolved at the first request; an unset
 * one matches no key. The time of the lookup depends on a digest that nobody can steer, so it reveals nothing
 * about a partly correct key.
 */
export function consumerKeys(...pairs: readonly (readonly [username: string, key: string])[]): ConsumerKeys {
  let known: ReadonlyMap<string, string> | undefined;
  return {
    find(key) {
      if (key === undefined) return undefined;
      known ??= byDigest(pairs, process.env);
      return known.get(digestOf(key));
    },
  };
}

function byDigest(
  pairs: readonly (readonly [username: string, key: string])[],
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const [username, key] of pairs) {
    if (key.startsWith(DIGEST)) {
      known.set(key.slice(DIGEST.length), username);
      continue;
    }
    const resolved = resolvedText(key, environment);
    if (resolved) known.set(digestOf(Buffer.from(resolved).toString("latin1")), username);
  }
  return known;
}

function digestOf(key: string): string {
  return createHash("sha256").update(key, "latin1").digest("hex");
}

export const runtime: PluginRuntime = { exports: { consumerKeys } };
