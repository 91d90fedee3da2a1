import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import type { CertificateFilePaths, CertificatePair } from "./certificates.js";
import { messageOf } from "./error-message.js";
import { areRivals, certificateBlocks, hasBrokenBlock, readChain, readKey } from "./pem.js";
import { MAX_KEY_BYTES, readRegularText, unreadableReason } from "./regular-file.js";
import { contextOptions, type TlsPolicy } from "./tls-policy.js";

export interface PairFault {
  field: "cert_file" | "key_file";
  path: string;
  reason: string;
}

/** Reads regular files of at most 64 kB. @param directory base of relative paths */
export function readPairTexts(
  { cert, key }: CertificateFilePaths,
  directory: string,
): CertificatePair | PairFault {
  const texts: string[] = [];
  for (const [field, path] of [["cert_file", cert] as const, ["key_file", key] as const]) {
    try {
      texts.push(readRegularText(resolve(directory, path), MAX_KEY_BYTES));
    } catch (error) {
      return { field, path, reason: unreadableReason(error) };
    }
  }
  return { cert: texts[0] ?? "", key: texts[1] ?? "" };
}

export interface PairUse {
  policy: TlsPolicy;
  /** Other chains of its resources, in PEM. */
  beside: readonly string[];
}

/** Takes only certificates from the first file: some tools write a key into it as well, or name one file for both. */
export function pairIn(
  texts: CertificatePair,
  paths: CertificateFilePaths,
  { policy, beside }: PairUse,
): CertificatePair | PairFault {
  const ofCert = (reason: string): PairFault => ({ field: "cert_file", path: paths.cert, reason });
  const ofKey = (reason: string): PairFault => ({ field: "key_file", path: paths.key, reason });
  // Clients would miss the intermediate authorities.
  if (hasBrokenBlock(texts.cert)) return ofCert("a certificate is truncated or damaged");
  const cert = `${certificateBlocks(texts.cert).join("\n")}\n`;
  const [own] = readChain(cert) ?? [];
  if (own === undefined) return ofCert("there is no certificate in PEM that can be read");
  const key = readKey(texts.key);
  if (key === undefined) return ofKey("there is no private key in PEM that can be read without a passphrase");
  if (!own.checkPrivateKey(key)) return ofKey("the private key does not fit the certificate");
  const rivals = beside.flatMap((chain) => readChain(chain)?.[0] ?? []);
  if (rivals.some((rival) => areRivals(own, rival)))
    return ofCert(
      `another certificate of the resource has a key of the same kind (${key.asymmetricKeyType})`,
    );
  const pair = { cert, key: texts.key };
  try {
    // OpenSSL rejects keys that are too weak.
    createSecureContext(contextOptions([pair], policy));
  } catch (error) {
    return ofCert(messageOf(error));
  }
  return pair;
}

export const isPairFault = (read: CertificatePair | PairFault): read is PairFault => "field" in read;
