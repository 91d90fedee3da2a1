import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { messageOf } from "./error-message.js";
import { MAX_KEY_BYTES, readRegularText } from "./regular-file.js";

/** Type in `manifest.sig`, so that no signature of other data passes for one of a build. */
export const MANIFEST_TYPE = "application/vnd.gwc.manifest+json";

/** Type in `provenance.sig`: the media type of in-toto statements. */
export const PROVENANCE_TYPE = "application/vnd.in-toto+json";

/** Signature: bytes in base64, and the id of the key if the signer names it. Only the key decides the algorithm. */
interface Signature {
  keyid?: string;
  sig: string;
}

export interface TrustedKey {
  id: string;
  file: string;
  key: KeyObject;
}

export class KeyError extends Error {
  readonly file: string;

  constructor(file: string, reason: string) {
    super(reason);
    this.file = file;
  }
}

export type SignatureCheck =
  | { ok: true; by: TrustedKey }
  /** `others`: ids of keys that are not trusted; "" if the file has no id. */
  | { ok: false; why: "damaged" | "altered" | "stranger"; others: string[] };

const MIN_RSA_BITS = 2_048;

/** Pre-authentication encoding of DSSE v1 (github.com/secure-systems-lab/dsse), which binds the type. */
export function signedBytes(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${body.length} `), body]);
}

/** Id of 16 hexadecimal digits of the SHA-256 of the public part (DER, SPKI). */
export function keyId(key: KeyObject): string {
  const spki = (key.type === "public" ? key : createPublicKey(key)).export({ type: "spki", format: "der" });
  return createHash("sha256").update(spki).digest("hex").slice(0, 16);
}

/** @returns why builds cannot be signed with a key, or undefined */
export function unusableKey({
  asymmetricKeyType: type,
  asymmetricKeyDetails,
}: KeyObject): string | undefined {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (type === "ed25519" || (type === "ec" && namedCurve === "prime256v1")) return undefined;
  if (type === "rsa")
    return modulusLength >= MIN_RSA_BITS
      ? undefined
      : `an RSA key needs ${MIN_RSA_BITS} bits, this one has ${modulusLength}`;
  return `it is ${type === "ec" ? `EC ${namedCurve}` : type}: use Ed25519, ECDSA P-256 or RSA`;
}

/** @throws KeyError */
export function readTrustedKeys(files: readonly string[]): TrustedKey[] {
  return files.map((file) => {
    let key: KeyObject;
    try {
      const text = readRegularText(file, MAX_KEY_BYTES);
      // Node would derive the public key from it, and the misplaced private key would go unnoticed.
      if (text.includes("PRIVATE KEY")) throw new Error("it is a private key: name the public one");
      key = createPublicKey(text);
    } catch (error) {
      throw new KeyError(file, reasonOf(error));
    }
    const unusable = unusableKey(key);
    if (unusable !== undefined) throw new KeyError(file, unusable);
    return { id: keyId(key), file, key };
  });
}

/** Replaces OpenSSL's texts about keys ("DECODER routines::unsupported"), which help no operator. */
function reasonOf(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return code.startsWith("ERR_OSSL") ? "it contains no public key in PEM format" : messageOf(error);
}

/** @param text of the signature file @param body the bytes that will be used */
export function checkSignature(
  text: string,
  type: string,
  body: Buffer,
  trusted: readonly TrustedKey[],
): SignatureCheck {
  const signatures = signaturesIn(text);
  if (signatures === undefined) return { ok: false, why: "damaged", others: [] };
  const bytes = signedBytes(type, body);
  const by = trusted.find(({ key }) => signatures.some(({ sig }) => fits(key, bytes, sig)));
  if (by !== undefined) return { ok: true, by };
  const isKnown = (id: string | undefined) => trusted.some((one) => one.id === id);
  const why = signatures.some(({ keyid }) => isKnown(keyid)) ? "altered" : "stranger";
  return { ok: false, why, others: signatures.map(({ keyid = "" }) => keyid) };
}

function fits(key: KeyObject, bytes: Buffer, sig: string): boolean {
  const signature = Buffer.from(sig, "base64");
  if (key.asymmetricKeyType === "ed25519") return verify(null, bytes, key, signature);
  if (key.asymmetricKeyType === "rsa") return verify("sha256", bytes, key, signature);
  // OpenSSL writes DER; key services and JOSE two numbers of 32 bytes.
  return (
    verify("sha256", bytes, { key, dsaEncoding: "der" }, signature) ||
    (signature.length === 64 && verify("sha256", bytes, { key, dsaEncoding: "ieee-p1363" }, signature))
  );
}

function signaturesIn(text: string): Signature[] | undefined {
  let list: unknown;
  try {
    list = (JSON.parse(text) as { signatures?: unknown } | null)?.signatures;
  } catch {
    return undefined;
  }
  return Array.isArray(list) && list.length > 0 && list.every(isSignature) ? list : undefined;
}

function isSignature(item: unknown): item is Signature {
  const { keyid, sig } = (item ?? {}) as Record<string, unknown>;
  return typeof sig === "string" && (keyid === undefined || /^[0-9a-f]{16}$/.test(String(keyid)));
}
