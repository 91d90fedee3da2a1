import type { X509Certificate } from "node:crypto";
import { covers, epochSeconds, readChain } from "../abi/pem.js";

/** Reason why no client could use a renewed certificate although the last good one works. */
export interface RenewalFault {
  reason: string;
  /** Epoch seconds at which the fault may disappear without a change of the file. */
  until?: number;
}

/**
 * Undefined if the renewed chain may replace the last good one. At a start there is none, so any chain is
 * presented.
 * @param now epoch seconds
 */
export function renewalFault(
  renewed: string,
  last: string,
  names: readonly string[],
  now: number,
): RenewalFault | undefined {
  const [[own, ...issuers] = [], [before, ...known] = []] = [readChain(renewed), readChain(last)];
  if (own === undefined || before === undefined) return undefined;
  const [from, ends] = [epochSeconds(own.validFrom), epochSeconds(before.validTo)];
  if (epochSeconds(own.validTo) < now && ends >= now)
    return { reason: `the certificate expired on ${own.validTo}` };
  // Dropping a single name may be intended.
  const isForAny = (certificate: X509Certificate) =>
    names.some((name) => name === "*" || covers(certificate, name));
  if (!isForAny(own) && isForAny(before))
    return { reason: "the certificate matches none of the server names" };
  if (epochSeconds(before.validFrom) > now || ends < now) return undefined;
  if (from > now)
    return {
      reason: `the certificate is not valid before ${own.validFrom}`,
      until: Math.min(from, ends + 1),
    };
  if (
    issuers.length === 0 &&
    isSignedByOther(own) &&
    known.some((one) => isSignedByOther(one) && one.subject === own.issuer)
  )
    return {
      reason: "the issuer's certificate is missing, and the last valid chain has it",
      until: ends + 1,
    };
  return undefined;
}

/** Reports whether another certificate signed this one: clients know self-signed ones. */
const isSignedByOther = ({ issuer, subject }: X509Certificate): boolean => issuer !== subject;
