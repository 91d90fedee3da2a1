import { createPrivateKey, X509Certificate } from "node:crypto";
import type { ResourceContext } from "../abi/resource.js";

/** A client's chain (PEM), and the reference of its private key. */
interface ClientPair {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * The private key (PEM) that the reference stands for; undefined without one.
 * @param name what it is called where it is not known @returns a text: why it cannot be used
 */
export function openClientKey(
  { cert, key: reference }: ClientPair,
  context: Pick<ResourceContext, "secret">,
  name: string,
): { key: string | undefined } | string {
  const key = reference === undefined ? undefined : context.secret(reference);
  if (reference !== undefined && key === undefined) return `${name} is not known here`;
  return clientPairFault(cert, key) ?? { key };
}

/**
 * Why a client cannot be known by a chain (PEM) and a key (PEM): the build has compared those that are written out, and
 * cannot know what a variable holds. Undefined: they fit, or there are none. Nothing of the key is repeated.
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
