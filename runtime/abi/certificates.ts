import type { PluginTables } from "./plugin-tables.js";

/** Under this name the tables of a generation hold its certificates; the services of plugins are not told of them. */
export const CERTIFICATES = "ssls";

/** Texts in PEM: a chain, the server's certificate first, with its key. */
export interface CertificatePair {
  cert: string;
  key: string;
}

/** Paths as they are written; relative ones begin in the working directory of the gateway. */
export interface CertificateFilePaths {
  cert: string;
  key: string;
}

/** A chain in PEM with the reference of its key; or the files of both, which are read where the gateway runs. */
export type CertificateChain = CertificatePair | { files: CertificateFilePaths };

/** One `ssls` resource that is in use. Keys are references, which the process that presents the certificates resolves. */
export interface CertificateRow {
  id: string;
  /** Lower-case; "*" prefix is a suffix wildcard. At least one. */
  snis: string[];
  /** One of each kind of key. */
  chains: CertificateChain[];
  /** Clients must show a certificate of one of these authorities. */
  client?: { ca: string; depth: number };
}

export const certificatesIn = (tables: PluginTables | undefined): readonly CertificateRow[] =>
  (tables?.[CERTIFICATES]?.["certificates"] ?? []) as readonly CertificateRow[];

/** Texts of files, by `filesKey`. */
export type CertificateTexts = Readonly<Record<string, CertificatePair>>;

export const filesKey = ({ cert, key }: CertificateFilePaths): string => `${cert}\n${key}`;
