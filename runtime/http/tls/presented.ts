import { constants, createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { CertificatePair, CertificateRow } from "../../abi/certificates.js";
import { messageOf } from "../../abi/error-message.js";
import { sha256 } from "../../abi/hash.js";
import { areRivals } from "../../abi/pem.js";
import { contextOptions, type TlsPolicy } from "../../abi/tls-policy.js";

/** Lifetime of a session in seconds. */
const SESSION_SECONDS = 3_600;

export class Presented {
  readonly row: CertificateRow;
  /** Digest of the rules for client certificates and of the row's id; empty without rules. */
  readonly clientTrust: string;
  readonly #pairs: readonly CertificatePair[];
  #context: SecureContext | undefined;
  #policy: TlsPolicy;
  /** OpenSSL's verdict by the current policy; undefined: not asked yet. */
  #isPresentable: boolean | undefined;
  readonly #refused: (reason: string) => void;

  /**
   * @param pairs if empty, it is never presented, but its names and rules for clients stay known
   * @param refused called once for each policy that rejects it
   * @throws Error with the reason if no policy can present it
   */
  constructor(
    row: CertificateRow,
    pairs: readonly CertificatePair[],
    policy: TlsPolicy,
    refused: (reason: string) => void = () => {},
  ) {
    this.row = row;
    this.#refused = refused;
    this.clientTrust = row.client === undefined ? "" : digestOf([row.id, row.client]);
    this.#pairs = pairs;
    this.#policy = policy;
    checkKeys(pairs);
  }

  /** Sets the policy; the next handshake creates the context. A new ticket key does not change the verdict. */
  set policy(policy: TlsPolicy) {
    if (JSON.stringify(judging(policy)) !== JSON.stringify(judging(this.#policy)))
      this.#isPresentable = undefined;
    this.#policy = policy;
    this.#context = undefined;
  }

  /** True if there is nothing to present. */
  get isWithheld(): boolean {
    return this.#pairs.length === 0;
  }

  /** True if the policy can present it: `@SECLEVEL` of `ssl_ciphers` rejects keys that are too short. */
  get isPresentable(): boolean {
    return this.#isPresentable ?? this.judge();
  }

  /** @returns true if the policy allows the certificate to be presented */
  judge(): boolean {
    try {
      this.#isPresentable = !this.isWithheld && this.context !== undefined;
    } catch (error) {
      this.#isPresentable = false;
      this.#refused(messageOf(error));
    }
    return this.#isPresentable;
  }

  isOfRow(row: CertificateRow): boolean {
    return JSON.stringify(row) === JSON.stringify(this.row);
  }

  isOf(row: CertificateRow, pairs: readonly CertificatePair[]): boolean {
    return JSON.stringify([row, pairs]) === JSON.stringify([this.row, this.#pairs]);
  }

  /** @throws Error with the reason if the policy rejects it */
  get context(): SecureContext {
    return (this.#context ??= this.#build());
  }

  #build(): SecureContext {
    const { ticketKey } = this.#policy;
    const { client } = this.row;
    // A session would outlive the authority that verified its client's certificate.
    const tickets = client === undefined ? 0 : constants.SSL_OP_NO_TICKET;
    return createSecureContext({
      ...contextOptions(this.#pairs, this.#policy),
      ecdhCurve: "X25519:P-256:P-384",
      honorCipherOrder: true,
      // Renegotiation would let a client waste the server's CPU repeatedly.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION | tickets,
      sessionIdContext: this.#sessionScope(),
      sessionTimeout: SESSION_SECONDS,
      ...(client !== undefined && { ca: client.ca }),
      ...(ticketKey !== undefined && { ticketKeys: Buffer.from(ticketKey, "base64") }),
    });
  }

  /**
   * Scope of a session: the certificate, client authorities, protocols and cipher suites with which it
   * started. OpenSSL resumes a session whose suite is no longer offered. At most 32 bytes.
   */
  #sessionScope(): string {
    const { id, client } = this.row;
    const certs = this.#pairs.map(({ cert }) => cert);
    return digestOf([id, certs, client ?? null, ...judging(this.#policy)]);
  }
}

/** Parts of a policy that decide whether a certificate can be presented. */
const judging = ({ minVersion, maxVersion, ciphers }: TlsPolicy) => [minVersion, maxVersion, ciphers ?? null];

/** OpenSSL does not report these mistakes. @throws Error with the mistake */
function checkKeys(pairs: readonly CertificatePair[]): void {
  const certificates = pairs.map(({ cert }) => new X509Certificate(cert));
  for (const [at, certificate] of certificates.entries()) {
    // OpenSSL compares a key only with a certificate of its own kind.
    if (!certificate.checkPrivateKey(createPrivateKey(pairs[at]?.key ?? "")))
      throw new Error("the private key does not fit the certificate");
    if (certificates.slice(0, at).some((earlier) => areRivals(earlier, certificate)))
      throw new Error("two of its certificates have keys of the same type");
  }
}

/** First 128 bits of SHA-256 in hex. */
function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 32);
}
