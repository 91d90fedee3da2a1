import { constants, createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import {
  type CertificatePair,
  type CertificateRow,
  type CertificateTexts,
  filesKey,
} from "../../abi/certificates.js";
import { messageOf } from "../../abi/error-message.js";
import { sha256 } from "../../abi/hash.js";
import { areRivals } from "../../abi/pem.js";
import { contextOptions, DEFAULT_POLICY, type TlsPolicy } from "../../abi/tls-policy.js";

/** How long a client may resume a session. */
const SESSION_SECONDS = 3_600;

/** What one `ssls` resource is presented with. */
export class Presented {
  readonly row: CertificateRow;
  /** Digest of the rules by which clients are authenticated, and of the row they belong to; empty without any. */
  readonly clientTrust: string;
  readonly #pairs: readonly CertificatePair[];
  #context: SecureContext | undefined;
  #policy: TlsPolicy;
  /** The policy of now does not let it be presented. */
  #isRefused = false;
  readonly #refused: (reason: string) => void;

  /**
   * @param pairs none: it is never presented, and its names and rules for clients are known all the same
   * @param refused told once for each policy that does not let it be presented
   * @throws Error with the reason when it cannot be presented
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
    if (!this.isWithheld) this.#context = this.#made();
  }

  /** Made anew at the next handshake when the policy has changed. */
  set policy(policy: TlsPolicy) {
    this.#policy = policy;
    this.#context = undefined;
    this.#isRefused = false;
  }

  /** Reports whether there is nothing to present. */
  get isWithheld(): boolean {
    return this.#pairs.length === 0;
  }

  /** Reports whether the policy lets it be presented: `@SECLEVEL` of `ssl_ciphers` refuses keys that are too short. */
  get isPresentable(): boolean {
    if (this.#isRefused || this.isWithheld) return false;
    try {
      return this.context !== undefined;
    } catch (error) {
      this.#isRefused = true;
      this.#refused(messageOf(error));
      return false;
    }
  }

  isOf(row: CertificateRow, pairs: readonly CertificatePair[] = this.#pairs): boolean {
    return JSON.stringify([row, pairs]) === JSON.stringify([this.row, this.#pairs]);
  }

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
    const { minVersion, maxVersion, ciphers } = this.#policy;
    const { id, client } = this.row;
    const certs = this.#pairs.map(({ cert }) => cert);
    return digestOf([id, certs, client ?? null, minVersion, maxVersion, ciphers ?? null]);
  }
}

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

/** Which certificate stands for a server name: that of the name itself, else of the longest wildcard. */
export class ContextTable {
  readonly #exact = new Map<string, Presented>();
  /** By what follows the asterisk. */
  readonly #wildcards = new Map<string, Presented>();
  readonly #byId = new Map<string, Presented>();

  constructor(all: readonly Presented[]) {
    // The first wins: of a build and what the store adds, the build.
    for (const presented of [...all].reverse()) {
      this.#byId.set(presented.row.id, presented);
      for (const name of presented.row.snis) {
        if (name.startsWith("*")) this.#wildcards.set(name.slice(1), presented);
        else this.#exact.set(name, presented);
      }
    }
  }

  get all(): Iterable<Presented> {
    return this.#byId.values();
  }

  get(id: string): Presented | undefined {
    return this.#byId.get(id);
  }

  find(name: string): Presented | undefined {
    const exact = this.#exact.get(name);
    if (exact !== undefined || this.#wildcards.size === 0) return exact;
    for (let from = 1; from <= name.length; from++) {
      const presented = this.#wildcards.get(name.slice(from));
      if (presented !== undefined) return presented;
    }
    return undefined;
  }
}

/** A certificate that cannot be presented, with the reason. */
export class CertificateFault extends Error {}

/** The certificates of one process: those in use, and those of the generation that is prepared. */
export class Certificates {
  #table = new ContextTable([]);
  #prepared: ContextTable | undefined;
  #policy = DEFAULT_POLICY;
  /** Rows of the table, those that cannot be presented too. */
  #rows: readonly CertificateRow[] = [];
  #preparedRows: readonly CertificateRow[] = [];
  #texts: CertificateTexts = {};
  readonly #keyOf: (reference: string) => string | undefined;
  readonly #changed: () => void;
  readonly #unusable: (id: string, reason: string) => void;

  /**
   * @param keyOf what a reference stands for
   * @param changed told when clients may get another certificate than before
   * @param unusable told of rows of the table that cannot be presented
   */
  constructor(
    keyOf: (reference: string) => string | undefined,
    changed: () => void,
    unusable: (id: string, reason: string) => void,
  ) {
    this.#keyOf = keyOf;
    this.#changed = changed;
    this.#unusable = unusable;
  }

  /**
   * Begins with the rows of a whole generation, without those that cannot be presented. Such a row with rules for clients is known all
   * the same: its host must not be reached over the name of another (`SecureEvents`).
   */
  start(rows: readonly CertificateRow[]): void {
    this.#prepared = undefined;
    this.#rows = rows;
    this.#table = new ContextTable(
      rows.flatMap((row) => {
        try {
          return [this.#presented(row)];
        } catch (error) {
          this.#unusable(row.id, messageOf(error));
          return row.client === undefined ? [] : [new Presented(row, [], this.#policy)];
        }
      }),
    );
    this.#changed();
  }

  /** Makes ready the rows of the next generation. @throws CertificateFault */
  prepare(rows: readonly CertificateRow[]): void {
    this.#prepared = new ContextTable(rows.map((row) => this.#presented(row)));
    this.#preparedRows = rows;
  }

  activate(): void {
    if (this.#prepared === undefined) return;
    this.#table = this.#prepared;
    this.#rows = this.#preparedRows;
    this.#prepared = undefined;
    this.#changed();
  }

  discard(): void {
    this.#prepared = undefined;
  }

  /** For handshakes that begin from now on. */
  apply(policy: TlsPolicy): void {
    if (JSON.stringify(policy) === JSON.stringify(this.#policy)) return;
    this.#policy = policy;
    for (const table of [this.#table, this.#prepared])
      for (const presented of table?.all ?? []) presented.policy = policy;
    // It may let rows be presented that could not be.
    this.#table = this.#renewed(this.#table, this.#rows);
    this.#changed();
  }

  /** For handshakes that begin from now on. A row that cannot be presented with what its files hold keeps what it had. */
  renew(texts: CertificateTexts): void {
    if (JSON.stringify(texts) === JSON.stringify(this.#texts)) return;
    this.#texts = texts;
    this.#table = this.#renewed(this.#table, this.#rows);
    if (this.#prepared !== undefined) this.#prepared = this.#renewed(this.#prepared, this.#preparedRows);
    this.#changed();
  }

  #renewed(table: ContextTable, rows: readonly CertificateRow[]): ContextTable {
    return new ContextTable(
      rows.flatMap((row) => {
        const known = table.get(row.id);
        try {
          return [this.#presented(row, known)];
        } catch {
          return known === undefined ? [] : [known];
        }
      }),
    );
  }

  /** Undefined: no certificate is for this client. */
  find(serverName: string | undefined): Presented | undefined {
    const { fallbackName } = this.#policy;
    return (
      (serverName === undefined ? undefined : this.#table.find(serverName)) ??
      (fallbackName === undefined ? undefined : this.#table.find(fallbackName.toLowerCase()))
    );
  }

  /** @param known as which it is presented so far @throws CertificateFault */
  #presented(row: CertificateRow, known = this.#table.get(row.id)): Presented {
    const pairs: CertificatePair[] = [];
    for (const chain of row.chains) {
      const pair = "files" in chain ? this.#texts[filesKey(chain.files)] : this.#pairOf(chain);
      if (pair !== undefined) pairs.push(pair);
      // A control that has just started could not read what workers have from an earlier one.
      else if ("files" in chain && known?.isWithheld === false && known.isOf(row)) return known;
      else
        throw new CertificateFault(
          `ssl "${row.id}": ${"files" in chain ? "its files are" : "its key is"} not known here`,
        );
    }
    // Contexts are costly: one that stays the same stays.
    if (known?.isOf(row, pairs)) return known;
    try {
      const refused = (reason: string) => this.#unusable(row.id, reason);
      return new Presented(row, pairs, this.#policy, refused);
    } catch (error) {
      throw new CertificateFault(`ssl "${row.id}" cannot be presented: ${messageOf(error)}`);
    }
  }

  #pairOf({ cert, key: reference }: CertificatePair): CertificatePair | undefined {
    const key = this.#keyOf(reference);
    return key === undefined ? undefined : { cert, key };
  }
}
