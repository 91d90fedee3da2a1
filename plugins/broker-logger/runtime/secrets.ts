import type { ConnectionOptions } from "node:tls";
import type { ResourceContext } from "../../../runtime/abi/plugin-api.js";
import { type BrokerDestination, openClientKey } from "../../../runtime/logging/index.js";

const MASK = "[redacted]";

export interface BrokerSecrets {
  /** Set with SASL. */
  readonly password: string | undefined;
  /** PEM, for `tls.cert`. */
  readonly key: string | undefined;
  /** Removes the secrets from a text of a library or a broker. */
  clean(text: string): string;
}

/** @returns the reason if a secret is unknown here or cannot be used */
export function openSecrets(
  { sasl, tls }: Pick<BrokerDestination, "sasl" | "tls">,
  context: Pick<ResourceContext, "secret">,
): BrokerSecrets | string {
  const password = sasl && context.secret(sasl.password);
  if (sasl && password === undefined) return `the password of SASL user ${sasl.user} is unknown`;
  const pair = openClientKey(tls ?? {}, context, "the private key of tls");
  if (typeof pair === "string") return pair;
  return { password, ...pair, clean: (text) => (password ? text.replaceAll(password, MASK) : text) };
}

/** Options of Node's `tls.connect`, which both libraries pass on. */
export function tlsOptions(
  { verify, ca, cert }: NonNullable<BrokerDestination["tls"]>,
  { key }: Pick<BrokerSecrets, "key">,
): ConnectionOptions {
  return { rejectUnauthorized: verify, ca, cert, key };
}
