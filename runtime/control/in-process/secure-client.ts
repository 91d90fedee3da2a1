import type { SecureState } from "../../http/tls/secure-state.js";
import type { RequestSpec } from "./exchange-spec.js";

/** TLS variables of an ordinary client, by their names without `$ssl_`. */
const USUAL: Readonly<Record<string, string>> = {
  protocol: "TLSv1.3",
  cipher: "TLS_AES_256_GCM_SHA384",
  session_reused: ".",
  client_verify: "NONE",
};

export function secureOf({ tls, host }: RequestSpec = {}): Pick<SecureState, "variable"> | undefined {
  if (tls === undefined) return undefined;
  const asked = host === undefined ? {} : { server_name: host.toLowerCase().replace(/:\d*$/, "") };
  const known = new Map(Object.entries({ ...USUAL, ...asked, ...(tls === true ? {} : tls) }));
  return { variable: (name) => known.get(name) };
}
