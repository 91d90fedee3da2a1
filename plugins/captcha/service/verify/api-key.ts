import { createHash, createHmac, randomBytes, randomInt } from "node:crypto";

/** `spk_<8 id>_<43 base64url>_<6 hex checksum>` (captcha reference section 5.6): 63 characters. */
const FORM = /^spk_([A-Za-z0-9]{8})_([A-Za-z0-9_-]{43})_([0-9a-f]{6})$/;
/** Excludes letters and digits that are easily confused when read aloud. */
const ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

/** 256 random bits; the text is shown once, only its digest is stored. @param id eight letters and digits */
export function newApiKey(id: string = newId()): { id: string; key: string } {
  const beginning = `spk_${id}_${randomBytes(32).toString("base64url")}`;
  return { id, key: `${beginning}_${checksum(beginning)}` };
}

function newId(): string {
  return Array.from({ length: 8 }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]).join("");
}

/** Undefined for another format or a wrong checksum (a typing error). */
export function apiKeyParts(text: string): { id: string } | undefined {
  const [, id, , sum] = FORM.exec(text) ?? [];
  // Nothing secret is compared here: anybody can compute the checksum.
  return id !== undefined && sum === checksum(text.slice(0, -7)) ? { id } : undefined;
}

/**
 * Base64url of HMAC-SHA-256, for storage. A key has 256 random bits, so no slow password hash is needed; that
 * would only let anybody keep the processor busy (W3).
 * @param pepper the secret "api-key", 32 bytes
 */
export function apiKeyDigest(pepper: Buffer, text: string): string {
  return createHmac("sha256", pepper).update(text, "latin1").digest("base64url");
}

/** Lets scanners for leaked secrets, and us, distinguish a key from a similar text. */
function checksum(beginning: string): string {
  return createHash("sha256").update(beginning, "latin1").digest("hex").slice(0, 6);
}
