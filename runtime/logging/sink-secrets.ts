import { createPrivateKey, X509Certificate } from "node:crypto";
import { SendError, type Sink } from "../abi/delivery.js";
import type { ResourceContext } from "../abi/resource.js";

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
 * No part of the key shows. The build has compared pairs from files, but cannot know the value of a variable.
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

/**
 * Sink for a destination whose secrets are not known yet, as in a gateway that starts from the last known
 * good generation. A write that brings the secrets opens another sink.
 * @param reason names the unknown secret, without any value
 */
export function unopenedSink(reason: string, context: ResourceContext): Sink {
  context.report("secret_not_known", { reason });
  return {
    send: () => Promise.reject(new SendError(reason)),
    close: () => Promise.resolve(),
  };
}
