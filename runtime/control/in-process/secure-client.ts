import type { SecureState } from "../../http/tls/secure-state.js";
import type { RequestSpec } from "./exchange-spec.js";

/** What a plain connection of today's clients has, by the names of the variables without `$ssl_`. */
const USUAL: Readonly<Record<string, string>> = {
  protocol: "TLSv1.3",
  cipher: "TLS_AES_256_GCM_SHA384",
  session_reused: ".",
  client_verify: "NONE",
};

/** What is known of the TLS connection of a request; undefined: it comes without. */
export function secureOf({ tls, host }: RequestSpec = {}): Pick<SecureState, "variable"> | undefined {
  if (tls === undefined) return undefined;
  const asked = host === undefined ? {} : { server_name: host.toLowerCase().replace(/:\d*$/, "") };
  const known = new Map(Object.entries({ ...USUAL, ...asked, ...(tls === true ? {} : tls) }));
  return { variable: (name) => known.get(name) };
}
