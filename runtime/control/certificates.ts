import { X509Certificate } from "node:crypto";
import {
  type CertificateChain,
  type CertificateRow,
  type CertificateTexts,
  certificatesIn,
} from "../abi/certificates.js";
import { covers, epochSeconds, readChain } from "../abi/pem.js";
import type { PluginTables } from "../abi/plugin-tables.js";
import type { TlsPolicy } from "../abi/tls-policy.js";
import { runInSlices } from "../http/time-slice.js";
import { CertificateError, Certificates } from "../http/tls/contexts.js";
import type { Secrets } from "../process/messages.js";
import { SecretTable } from "../process/secret-table.js";

export interface CertificateDate {
  ssl: string;
  /** Epoch seconds. */
  expires: number;
}

/** Returns the time in epoch seconds at which the first certificate of a chain expires. */
export const expiryOf = (cert: string): number => Date.parse(new X509Certificate(cert).validTo) / 1_000;

/** Certificates that the running generation presents; each is parsed once. */
export class CertificatesInUse {
  readonly #tables: () => PluginTables | undefined;
  readonly #presented: (chain: CertificateChain) => { cert: string } | undefined;
  readonly #cached = new WeakMap<object, number>();

  /** @param presented returns the texts of a chain, the same object until a change; undefined if it cannot */
  constructor(
    tables: () => PluginTables | undefined,
    presented: (chain: CertificateChain) => { cert: string } | undefined,
  ) {
    this.#tables = tables;
    this.#presented = presented;
  }

  dates = (): CertificateDate[] =>
    certificatesIn(this.#tables()).flatMap(({ id, chains }) => {
      const dates = chains.flatMap((chain) => this.#presented(chain) ?? []).map((one) => this.#expires(one));
      return dates.length === 0 ? [] : [{ ssl: id, expires: Math.min(...dates) }];
    });

  /** Returns the chains of an `ssls` resource; undefined if it is not in use. */
  chains = (id: string): string[] | undefined =>
    certificatesIn(this.#tables())
      .find((row) => row.id === id)
      ?.chains.flatMap((chain) => this.#presented(chain)?.cert ?? []);

  #expires(presented: { cert: string }): number {
    const known = this.#cached.get(presented) ?? expiryOf(presented.cert);
    this.#cached.set(presented, known);
    return known;
  }
}

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

interface CertificateSources {
  secrets: Secrets;
  texts: CertificateTexts;
  policy: TlsPolicy;
}

/** Checks changed rows with the code of workers; returns the reason why one cannot be presented. */
export async function certificateFault(
  rows: readonly CertificateRow[],
  { secrets, texts, policy }: CertificateSources,
): Promise<string | undefined> {
  const keys = new SecretTable();
  keys.start(secrets);
  const ignore = () => {};
  const certificates = new Certificates((reference) => keys.resolve(reference), ignore, ignore);
  try {
    await runInSlices(certificates.preparing(rows, policy, texts));
    return undefined;
  } catch (error) {
    if (error instanceof CertificateError) return error.message;
    throw error;
  }
}
