import { createPrivateKey, X509Certificate } from "node:crypto";
import type { ResourceContext } from "../abi/resource.js";

/** A client's certificate chain (PEM), and the reference of its private key. */
interface ClientPair {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Resolves the reference of a private key (PEM).
 * @param name name of the key in a message
 * @returns key undefined without a reference; a text: why the key cannot be used
 */
export function openClientKey(
  { cert, key: reference }: ClientPair,
  context: Pick<ResourceContext, "secret">,
  name: string,
): { key: string | undefined } | string {
  const key = reference === undefined ? undefined : context.secret(reference);
  if (reference !== undefined && key === undefined) return `${name} is unknown`;
  return clientPairFault(cert, key) ?? { key };
}

/**
 * Returns why a chain (PEM) and a key (PEM) cannot be used, without any part of the key. The build has
 * compared pairs from files and cannot know the value of a variable.
 * @returns undefined if they match, or one is absent
 */
function clientPairFault(cert: string | undefined, key: string | undefined): string | undefined {
  if (cert === undefined || key === undefined) return undefined;
  try {
    const own = createPrivateKey(key);
    return new X509Certificate(cert).checkPrivateKey(own)
      ? undefined
      : "the private key does not fit the certificate";
  } catch {
    return "the private key cannot be read";
  }
}
