import type { PluginTables } from "./plugin-tables.js";

/** Name in the tables of a generation; services of plugins do not receive certificates. */
export const CERTIFICATES = "ssls";

/** Texts in PEM: a chain, the server's certificate first, with its key. */
export interface CertificatePair {
  cert: string;
  key: string;
}

/** Relative paths begin in the working directory of the gateway. */
export interface CertificateFilePaths {
  cert: string;
  key: string;
}

/** Chain in PEM with the reference of its key; or the files of both, which the running gateway reads. */
export type CertificateChain = CertificatePair | { files: CertificateFilePaths };

/** Active `ssls` resource. Keys are references, which the process that presents them resolves. */
export interface CertificateRow {
  id: string;
  /** Lower-case; "*" prefix is a suffix wildcard. At least one. */
  snis: string[];
  /** One of each kind of key. */
  chains: CertificateChain[];
  /** Clients must present a certificate of one of these authorities. */
  client?: { ca: string; depth: number };
}

export const certificatesIn = (tables: PluginTables | undefined): readonly CertificateRow[] =>
  (tables?.[CERTIFICATES]?.["certificates"] ?? []) as readonly CertificateRow[];

/** Contents by `filesKey`. */
export type CertificateTexts = Readonly<Record<string, CertificatePair>>;

export const filesKey = ({ cert, key }: CertificateFilePaths): string => `${cert}\n${key}`;
