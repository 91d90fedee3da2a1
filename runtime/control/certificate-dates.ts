import { X509Certificate } from "node:crypto";
import { CERTIFICATES, type CertificateRow } from "../abi/certificates.js";
import type { PluginTables } from "../abi/plugin-tables.js";

/** When an `ssls` resource has a certificate that expires, the first of them. */
export interface CertificateDate {
  ssl: string;
  /** Epoch seconds. */
  expires: number;
}

const rowsOf = (tables: PluginTables | undefined): readonly CertificateRow[] =>
  (tables?.[CERTIFICATES]?.["certificates"] ?? []) as readonly CertificateRow[];

/** What is presented of an `ssls` resource; undefined: it is not in use. */
export const certificateRow = (tables: PluginTables | undefined, id: string): CertificateRow | undefined =>
  rowsOf(tables).find((row) => row.id === id);

/** Dates of certificates, each read once. */
export class CertificateDates {
  readonly #known = new WeakMap<object, number>();

  of(tables: PluginTables | undefined): CertificateDate[] {
    return rowsOf(tables).map((row) => ({ ssl: row.id, expires: this.#expires(row) }));
  }

  #expires(row: CertificateRow): number {
    const known = this.#known.get(row);
    if (known !== undefined) return known;
    const dates = row.chains.map(({ cert }) => Date.parse(new X509Certificate(cert).validTo) / 1_000);
    const first = Math.min(...dates);
    this.#known.set(row, first);
    return first;
  }
}
