import type { X509Certificate } from "node:crypto";
import { covers, epochSeconds, readChain } from "../abi/pem.js";

/** Reason for which no client could use a renewed certificate, while the last good one can be used. */
export interface RenewalFault {
  reason: string;
  /** Epoch seconds at which it may be one no longer, without a change of the file. */
  until?: number;
}

/**
 * Compares a renewed chain with the last good one; undefined: it takes its place. A start has no other one and presents it all the
 * same.
 * @param names server names of its resources @param now epoch seconds
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
    return { reason: `the certificate has expired on ${own.validTo}` };
  // A name less may be meant.
  const isForAny = (certificate: X509Certificate) =>
    names.some((name) => name === "*" || covers(certificate, name));
  if (!isForAny(own) && isForAny(before))
    return { reason: "the certificate is for none of the server names" };
  if (epochSeconds(before.validFrom) > now || ends < now) return undefined;
  if (from > now)
    return {
      reason: `the certificate is not valid before ${own.validFrom}`,
      until: Math.min(from, ends + 1),
    };
  if (
    issuers.length === 0 &&
    isBetween(own) &&
    known.some((one) => isBetween(one) && one.subject === own.issuer)
  )
    return {
      reason: "the certificate of its issuer is missing, which the last good chain has",
      until: ends + 1,
    };
  return undefined;
}

/** Reports whether another certificate has signed it: clients know those that are signed by themselves. */
const isBetween = ({ issuer, subject }: X509Certificate): boolean => issuer !== subject;
