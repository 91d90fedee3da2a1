import { covers, epochSeconds, readChain } from "../abi/pem.js";

/**
 * Reason for which no client could use a renewed certificate, while the last good one can be used; undefined: it takes its place.
 * A start has no other one and presents it all the same.
 * @param names server names of its resources @param now epoch seconds
 */
export function renewalFault(
  renewed: string,
  last: string,
  names: readonly string[],
  now: number,
): string | undefined {
  const [[own] = [], [before] = []] = [readChain(renewed), readChain(last)];
  if (own === undefined || before === undefined) return undefined;
  if (epochSeconds(own.validTo) < now && epochSeconds(before.validTo) >= now)
    return `the certificate has expired on ${own.validTo}`;
  // A name less may be meant.
  const isForAny = (certificate: typeof own) =>
    names.some((name) => name === "*" || covers(certificate, name));
  if (!isForAny(own) && isForAny(before)) return "the certificate is for none of the server names";
  return undefined;
}
