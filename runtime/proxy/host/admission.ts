import type { PathRules } from "../../abi/path.js";
import { FORWARDING_HEADERS } from "../../abi/reserved-header-names.js";
import type { AddressTrust } from "../../http/client-address.js";
import { bad, type WireFault } from "../../http/fault.js";
import { isProtectedAlias } from "../../http/field-names.js";
import type { RequestHead } from "../../http/request-head.js";

export interface Admission extends AddressTrust {
  /**
   * Handling of header names with "_" (`gw.underscores_in_headers`). `drop`: removes such headers; `refuse`: 400; `keep`: removes only aliases of protected headers. Absent:
   * like `keep`; in addition, aliases of a header that the configuration sets or removes are removed.
   */
  readonly underscores?: "drop" | "keep" | "refuse" | undefined;
  /** True to serve TRACE and TRACK like other methods; otherwise they get a 405. */
  readonly allowTrace?: boolean | undefined;
  /** Rules for normalizing paths. Default: `DEFAULT_PATH_RULES`. */
  readonly pathRules?: PathRules | undefined;
}

export const OBSERVED_NAMES: ReadonlySet<string> = new Set<string>(FORWARDING_HEADERS);

/** Reports whether a method echoes its request; TRACK is Microsoft's TRACE. */
export const isTrace = (method: string): boolean => method === "TRACE" || method === "TRACK";

export const UNTRUSTED_ADMISSION: Admission = { trusts: () => false };

/**
 * Removes headers that plugins, logs or upstreams would take for the gateway's: forwarding headers of an
 * untrusted peer, and aliases of protected headers.
 */
export function applyAdmission(head: RequestHead, peer: string, admission: Admission): WireFault | undefined {
  if (head.hasForwardingHeader && !admission.trusts(peer)) {
    head.headers.forget((lower) => OBSERVED_NAMES.has(lower));
    head.hasForwardingHeader = false;
  }
  return head.hasUnusualNames ? admitOdd(head, admission) : undefined;
}

function admitOdd({ headers }: RequestHead, { underscores }: Admission): WireFault | undefined {
  if (underscores === "refuse" && headers.names().some((name) => name.includes("_")))
    return bad("header name with an underscore");
  headers.forget((lower) => (underscores === "drop" && lower.includes("_")) || isProtectedAlias(lower));
  headers.foldsNames = underscores === undefined;
  return undefined;
}
