import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

export const holdsKey = (pem: string): boolean => /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY-----/.test(pem);

export const certificateBlocks = (pem: string): string[] => pem.match(BLOCK) ?? [];

/** Keys, parameters and lists of revoked certificates, whose headers may have a hyphen. */
const OTHER_BLOCK =
  /-----BEGIN (?!CERTIFICATE-----)([A-Z0-9 ]{1,40})-----[^-]*(?:-(?!----)[^-]*)*-----END \1-----/g;

const EDGES = ["-----BEGIN ", "-----END "];
/** Replacement of a complete block, in its line. */
const WHOLE = "\0";

/** Reports whether a block begins or ends without its other end: the text was cut, or is being written. */
export function hasBrokenBlock(pem: string): boolean {
  const lines = pem.replace(BLOCK, WHOLE).replace(OTHER_BLOCK, WHOLE).split("\n");
  return lines.some((line, at) => {
    const text = line.replaceAll(WHOLE, "").trim();
    /*
     * Lines of hyphens separate blocks, "---" those of `openssl s_client`. A cut leaves only hyphens at the
     * end, without a line end, or in front of the next block's, which OpenSSL then does not find.
     */
    const least = at === lines.length - 1 ? 1 : line.includes(WHOLE) ? 5 : 6;
    return EDGES.some((edge) => text.startsWith(edge) || (text.length >= least && edge.startsWith(text)));
  });
}

/** Begins with the server's certificate. @returns undefined if one is unreadable or there is none */
export function readChain(pem: string): X509Certificate[] | undefined {
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0 || hasBrokenBlock(pem)) return undefined;
  try {
    const chain = blocks.map((block) => new X509Certificate(block));
    return chain.every(hasDates) ? chain : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects invalid dates: OpenSSL serves a certificate without valid dates, whose expiry would be unknown. */
const hasDates = ({ validFrom, validTo }: X509Certificate): boolean =>
  [validFrom, validTo].every((date) => !Number.isNaN(Date.parse(date)));

/** @returns undefined if it is unreadable, or needs a passphrase */
export function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** Reports whether OpenSSL cannot present both: a context has one key of each kind. */
export function areRivals(one: X509Certificate, other: X509Certificate): boolean {
  try {
    const [key, another] = [one.publicKey, other.publicKey];
    return key.asymmetricKeyType === another.asymmetricKeyType && !key.equals(another);
  } catch {
    // OpenSSL does not know the kind of key.
    return false;
  }
}

export const epochSeconds = (date: string): number => Math.floor(Date.parse(date) / 1_000);

/** Only the same wildcard covers a name with a wildcard. */
export function covers(certificate: X509Certificate, name: string): boolean {
  const bare = /^\[(.*)\]$/.exec(name)?.[1] ?? name;
  if (name.startsWith("*")) {
    const names = (certificate.subjectAltName ?? "").toLowerCase().split(", ");
    return names.includes(`dns:${name}`);
  }
  try {
    return (isIP(bare) === 0 ? certificate.checkHost(bare) : certificate.checkIP(bare)) !== undefined;
  } catch {
    // OpenSSL does not accept it as a name.
    return false;
  }
}
