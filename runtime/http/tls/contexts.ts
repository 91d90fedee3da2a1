import {
  type CertificatePair,
  type CertificateRow,
  type CertificateTexts,
  filesKey,
} from "../../abi/certificates.js";
import { messageOf } from "../../abi/error-message.js";
import { DEFAULT_POLICY, type TlsPolicy } from "../../abi/tls-policy.js";
import { Presented } from "./presented.js";

/** Certificates by server name: exact names first, then the longest wildcard. */
class ContextTable {
  readonly #exact = new Map<string, Presented>();
  /** Key: the text behind the asterisk. */
  readonly #wildcards = new Map<string, Presented>();
  readonly #byId = new Map<string, Presented>();

  constructor(all: readonly Presented[]) {
    // The first wins: a build precedes the store's overlay.
    for (const presented of [...all].reverse()) {
      this.#byId.set(presented.row.id, presented);
      for (const name of presented.row.snis) {
        if (name.startsWith("*")) this.#wildcards.set(name.slice(1), presented);
        else this.#exact.set(name, presented);
      }
    }
  }

  /** In the order of the rows. */
  get all(): Presented[] {
    return [...this.#byId.values()].reverse();
  }

  get(id: string): Presented | undefined {
    return this.#byId.get(id);
  }

  find(name: string): Presented | undefined {
    const exact = this.#exact.get(name);
    if (exact !== undefined && ownsNames(exact)) return exact;
    if (this.#wildcards.size === 0) return undefined;
    for (let from = 1; from <= name.length; from++) {
      const presented = this.#wildcards.get(name.slice(from));
      if (presented !== undefined && ownsNames(presented)) return presented;
    }
    return undefined;
  }
}

/**
 * A row that cannot be presented gives up its names, unless it has rules for clients: its host must not be
 * reachable over another row's certificate.
 */
const ownsNames = (presented: Presented): boolean =>
  presented.row.client !== undefined || presented.isPresentable;

export class CertificateError extends Error {}

export class Certificates {
  #table = new ContextTable([]);
  #prepared: ContextTable | undefined;
  #policy = DEFAULT_POLICY;
  #texts: CertificateTexts = {};
  readonly #keyOf: (reference: string) => string | undefined;
  readonly #changed: () => void;
  readonly #unusable: (id: string, reason: string) => void;

  /**
   * @param changed called when clients may get other certificates
   * @param unusable called for rows of the table that cannot be presented
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

  /** Starts with the rows of a whole generation. Rows that cannot be presented are kept, too. */
  start(rows: readonly CertificateRow[]): void {
    this.#prepared = undefined;
    this.#table = new ContextTable(rows.map((row) => this.#begun(row)));
    this.#changed();
  }

  #begun(row: CertificateRow): Presented {
    try {
      const presented = this.#built(row, this.#table.get(row.id));
      presented.judge();
      return presented;
    } catch (error) {
      this.#unusable(row.id, messageOf(error));
      return new Presented(row, [], this.#policy);
    }
  }

  /**
   * Prepares the rows of the next generation, one per step: each takes up to 1.3 ms. A row that could not be
   * presented before, and has not changed, does not block others.
   * @param policy for changed rows; default: the active one
   * @param more texts of files, besides those in use
   * @throws CertificateError if a changed row cannot be presented
   */
  *preparing(
    rows: readonly CertificateRow[],
    policy: TlsPolicy = this.#policy,
    more: CertificateTexts = {},
  ): Generator<undefined, void> {
    const next = { ...policy, ticketKey: this.#policy.ticketKey };
    const texts = { ...this.#texts, ...more };
    const prepared: Presented[] = [];
    for (const row of rows) {
      prepared.push(this.#next(row, this.#table.get(row.id), next, texts));
      yield;
    }
    this.#prepared = new ContextTable(prepared);
  }

  #next(
    row: CertificateRow,
    known: Presented | undefined,
    policy?: TlsPolicy,
    texts?: CertificateTexts,
  ): Presented {
    const hasToBeFit = () => known === undefined || !known.isOfRow(row) || known.isPresentable;
    try {
      const presented = this.#built(row, known, policy, texts);
      if (presented !== known && hasToBeFit()) forceContext(presented);
      return presented;
    } catch (error) {
      if (known === undefined || hasToBeFit()) throw error;
      return known;
    }
  }

  activate(): void {
    if (this.#prepared === undefined) return;
    this.#table = this.#prepared;
    this.#prepared = undefined;
    this.#changed();
  }

  discard(): void {
    this.#prepared = undefined;
  }

  /** Applies a policy to new handshakes, which create their contexts then. */
  apply(policy: TlsPolicy): void {
    if (JSON.stringify(policy) === JSON.stringify(this.#policy)) return;
    this.#policy = policy;
    for (const table of [this.#table, this.#prepared])
      for (const presented of table?.all ?? []) presented.policy = policy;
    this.#changed();
  }

  /** Applies new file contents to new handshakes. A row that cannot be presented with them keeps its old ones. */
  renew(texts: CertificateTexts): void {
    if (JSON.stringify(texts) === JSON.stringify(this.#texts)) return;
    this.#texts = texts;
    this.#table = this.#renewed(this.#table);
    if (this.#prepared !== undefined) this.#prepared = this.#renewed(this.#prepared);
    this.#changed();
  }

  #renewed(table: ContextTable): ContextTable {
    return new ContextTable(
      table.all.map((known) => {
        try {
          return this.#next(known.row, known);
        } catch {
          return known;
        }
      }),
    );
  }

  /** @returns undefined if no certificate is for this client */
  find(serverName: string | undefined): Presented | undefined {
    const { fallbackName } = this.#policy;
    return (
      (serverName === undefined ? undefined : this.#table.find(serverName)) ??
      (fallbackName === undefined ? undefined : this.#table.find(fallbackName.toLowerCase()))
    );
  }

  /** The policy may still reject the row. @throws CertificateError if its key or files are unknown or unusable */
  #built(
    row: CertificateRow,
    known: Presented | undefined,
    policy = this.#policy,
    texts = this.#texts,
  ): Presented {
    const pairs: CertificatePair[] = [];
    for (const chain of row.chains) {
      const pair = "files" in chain ? texts[filesKey(chain.files)] : this.#pairOf(chain);
      if (pair !== undefined) pairs.push(pair);
      // A control that has just started could not read these files, so a worker keeps those of an earlier one.
      else if ("files" in chain && known?.isWithheld === false && known.isOfRow(row)) return known;
      else
        throw new CertificateError(
          `ssl "${row.id}": ${"files" in chain ? "its files are" : "its key is"} unknown`,
        );
    }
    // Contexts are expensive, so an unchanged one is reused.
    if (known?.isOf(row, pairs)) return known;
    try {
      return new Presented(row, pairs, policy, (reason) => this.#unusable(row.id, reason));
    } catch (error) {
      throw unpresentable(row, error);
    }
  }

  #pairOf({ cert, key: reference }: CertificatePair): CertificatePair | undefined {
    const key = this.#keyOf(reference);
    return key === undefined ? undefined : { cert, key };
  }
}

/** @throws CertificateError if the policy rejects it */
function forceContext(presented: Presented): void {
  try {
    void presented.context;
  } catch (error) {
    throw unpresentable(presented.row, error);
  }
}

const unpresentable = ({ id }: CertificateRow, error: unknown): CertificateError =>
  new CertificateError(`ssl "${id}" cannot be presented: ${messageOf(error)}`);
