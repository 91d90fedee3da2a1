import { createSecureContext, type SecureContextOptions, type SecureVersion } from "node:tls";
import type { CertificatePair } from "./certificates.js";

/** Settings of TLS with all clients (`gw.ssl`). */
export interface TlsPolicy {
  minVersion: SecureVersion;
  maxVersion: SecureVersion;
  /** OpenSSL's names; undefined: `SAFE_CIPHERS`. */
  ciphers?: string | undefined;
  /** Server name for clients that name none, or one without a certificate. */
  fallbackName?: string | undefined;
  /** Key of session tickets: 48 bytes in base64, the same in all workers; undefined: each process has its own. */
  ticketKey?: string | undefined;
}

export const DEFAULT_POLICY: TlsPolicy = { minVersion: "TLSv1.2", maxVersion: "TLSv1.3" };

export interface TlsPolicyInput {
  ssl_protocols?: string;
  ssl_ciphers?: string;
  fallback_sni?: string;
}

export function tlsPolicyFrom(written: TlsPolicyInput = {}): TlsPolicy {
  const { ssl_protocols: protocols = "TLSv1.2 TLSv1.3", ssl_ciphers: ciphers, fallback_sni } = written;
  return {
    minVersion: protocols.includes("TLSv1.2") ? "TLSv1.2" : "TLSv1.3",
    maxVersion: protocols.includes("TLSv1.3") ? "TLSv1.3" : "TLSv1.2",
    ...(ciphers !== undefined && { ciphers }),
    ...(fallback_sni !== undefined && { fallbackName: fallback_sni.toLowerCase() }),
  };
}

/** Accepts what OpenSSL does: it ignores unknown names next to a known one. */
export function hasKnownCiphers(policy: TlsPolicy): boolean {
  try {
    createSecureContext(policy);
    return true;
  } catch {
    return false;
  }
}

/** Mozilla's intermediate list without finite-field Diffie-Hellman: forward secrecy, authenticated encryption. */
const SAFE_CIPHERS = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** Decides if OpenSSL accepts the pairs: `@SECLEVEL` of the ciphers rejects short keys and weak signatures. */
export function contextOptions(
  pairs: readonly CertificatePair[],
  { minVersion, maxVersion, ciphers = SAFE_CIPHERS }: TlsPolicy,
): SecureContextOptions {
  const cert = pairs.map((pair) => pair.cert);
  return { cert, key: pairs.map(({ key }) => key), minVersion, maxVersion, ciphers };
}
