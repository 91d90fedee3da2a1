import { X509Certificate } from "node:crypto";
import { type CertificateChain, certificatesIn } from "../abi/certificates.js";
import type { PluginTables } from "../abi/plugin-tables.js";

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
