import { constants, createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { CertificatePair, CertificateRow } from "../../abi/certificates.js";
import { messageOf } from "../../abi/error-message.js";
import { sha256 } from "../../abi/hash.js";
import { areRivals } from "../../abi/pem.js";
import { contextOptions, type TlsPolicy } from "../../abi/tls-policy.js";

/** How long a client may resume a session. */
const SESSION_SECONDS = 3_600;

/** One `ssls` resource with what it is presented with. */
export class Presented {
  readonly row: CertificateRow;
  /** Digest of the rules by which clients are authenticated, and of the row they belong to; empty without any. */
  readonly clientTrust: string;
  readonly #pairs: readonly CertificatePair[];
  #context: SecureContext | undefined;
  #policy: TlsPolicy;
  /** Verdict of OpenSSL by the policy of now; undefined: not asked yet. */
  #isPresentable: boolean | undefined;
  readonly #refused: (reason: string) => void;

  /**
   * @param pairs none: it is never presented, and its names and rules for clients are known all the same
   * @param refused told once for each policy that does not let it be presented
   * @throws Error with the reason if no policy lets it be presented
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

  /** Its context is made again at the next handshake. A new key of tickets leaves the verdict as it is. */
  set policy(policy: TlsPolicy) {
    if (JSON.stringify(judging(policy)) !== JSON.stringify(judging(this.#policy)))
      this.#isPresentable = undefined;
    this.#policy = policy;
    this.#context = undefined;
  }

  /** Reports whether there is nothing to present. */
  get isWithheld(): boolean {
    return this.#pairs.length === 0;
  }

  /** Reports whether the policy lets it be presented: `@SECLEVEL` of `ssl_ciphers` refuses keys that are too short. */
  get isPresentable(): boolean {
    return this.#isPresentable ?? this.judge();
  }

  /** Makes its context ready, or tells why the policy does not let it be presented. @returns whether it can be presented */
  judge(): boolean {
    try {
      this.#isPresentable = !this.isWithheld && this.context !== undefined;
    } catch (error) {
      this.#isPresentable = false;
      this.#refused(messageOf(error));
    }
    return this.#isPresentable;
  }

  /** Reports whether it is made of this row, whatever its keys are. */
  isOfRow(row: CertificateRow): boolean {
    return JSON.stringify(row) === JSON.stringify(this.row);
  }

  isOf(row: CertificateRow, pairs: readonly CertificatePair[]): boolean {
    return JSON.stringify([row, pairs]) === JSON.stringify([this.row, this.#pairs]);
  }

  /** @throws Error with the reason if the policy does not let it be presented */
  get context(): SecureContext {
    return (this.#context ??= this.#made());
  }

  #made(): SecureContext {
    const { ticketKey } = this.#policy;
    const { client } = this.row;
    // A session would outlive the authority that its client's certificate was compared with.
    const tickets = client === undefined ? 0 : constants.SSL_OP_NO_TICKET;
    return createSecureContext({
      ...contextOptions(this.#pairs, this.#policy),
      ecdhCurve: "X25519:P-256:P-384",
      honorCipherOrder: true,
      // A client could make the server work for nothing, again and again.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION | tickets,
      sessionIdContext: this.#sessionScope(),
      sessionTimeout: SESSION_SECONDS,
      ...(client !== undefined && { ca: client.ca }),
      ...(ticketKey !== undefined && { ticketKeys: Buffer.from(ticketKey, "base64") }),
    });
  }

  /**
   * A session is good for the certificate, the authorities of clients, the protocols and the cipher suites that it began with: OpenSSL
   * resumes one whose suite is no longer offered. At most 32 bytes.
   */
  #sessionScope(): string {
    const { id, client } = this.row;
    const certs = this.#pairs.map(({ cert }) => cert);
    return digestOf([id, certs, client ?? null, ...judging(this.#policy)]);
  }
}

/** Parts of a policy that decide if a certificate can be presented. */
const judging = ({ minVersion, maxVersion, ciphers }: TlsPolicy) => [minVersion, maxVersion, ciphers ?? null];

/** Mistakes for which OpenSSL has no words of its own. @throws Error */
function checkKeys(pairs: readonly CertificatePair[]): void {
  const certificates = pairs.map(({ cert }) => new X509Certificate(cert));
  for (const [at, certificate] of certificates.entries()) {
    // OpenSSL compares a key with a certificate of its own kind only.
    if (!certificate.checkPrivateKey(createPrivateKey(pairs[at]?.key ?? "")))
      throw new Error("the private key does not fit the certificate");
    if (certificates.slice(0, at).some((earlier) => areRivals(earlier, certificate)))
      throw new Error("two of its certificates have keys of the same kind");
  }
}

/** 128 bits of SHA-256 in hex. */
function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 32);
}
