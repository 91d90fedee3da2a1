import type { PathRules } from "../../abi/path.js";
import type { AddressTrust } from "../../http/client-address.js";
import { bad, type WireFault } from "../../http/fault.js";
import type { RequestHead } from "../../http/request-head.js";
import { FORWARDING_HEADERS, isProtectedAlias } from "../../http/reserved-headers.js";

/** What becomes of header names with "_" (`gw.underscores_in_headers`). */
export type Underscores = "drop" | "keep" | "refuse";

/** Whose words are believed and what is let in, before a route is looked for. */
export interface Admission extends AddressTrust {
  /**
   * `drop`: none gets in; `refuse`: 400; `keep`: all but those that spell a field of the gateway. Absent: as `keep`, and where a
   * configuration sets or removes a field, its other spellings go too.
   */
  readonly underscores?: Underscores | undefined;
  /** TRACE and TRACK are served like other methods; else they are answered with 405. */
  readonly allowTrace?: boolean | undefined;
  /** How paths are brought into normal form; absent: by the defaults. */
  readonly pathRules?: PathRules | undefined;
}

const OBSERVED_NAMES: ReadonlySet<string> = new Set<string>(FORWARDING_HEADERS);

/** What sends back what it gets; TRACK is Microsoft's name for it. */
export const isTrace = (method: string): boolean => method === "TRACE" || method === "TRACK";

/** Believes nobody. */
export const UNTRUSTED_ADMISSION: Admission = { trusts: () => false };

/**
 * Takes out of a request what its sender may not say, so that no plugin, no log and no upstream takes it for the gateway's word:
 * forwarding fields of a peer that is not trusted, and names that an upstream would take for one of the gateway's own.
 * @returns the fault of a request that is refused
 */
export function applyAdmission(head: RequestHead, peer: string, admission: Admission): WireFault | undefined {
  if (head.observed && !admission.trusts(peer)) {
    head.headers.forget((lower) => OBSERVED_NAMES.has(lower));
    head.observed = false;
  }
  return head.odd ? admitOdd(head, admission) : undefined;
}

function admitOdd({ headers }: RequestHead, { underscores }: Admission): WireFault | undefined {
  if (underscores === "refuse" && headers.names().some((name) => name.includes("_")))
    return bad("header name with an underscore");
  headers.forget((lower) => (underscores === "drop" && lower.includes("_")) || isProtectedAlias(lower));
  headers.foldsNames = underscores === undefined;
  return undefined;
}
