/** Under this name the tables of a generation hold its certificates; the services of plugins are not told of them. */
export const CERTIFICATES = "ssls";

/** One `ssls` resource that is in use. Keys are references, which the process that presents the certificates resolves. */
export interface CertificateRow {
  id: string;
  /** Lower-case; "*" prefix is a suffix wildcard. At least one. */
  snis: string[];
  /** Chains in PEM with the references of their keys: one of each kind of key. */
  chains: { cert: string; key: string }[];
  /** Clients must show a certificate of one of these authorities. */
  client?: { ca: string; depth: number };
}
