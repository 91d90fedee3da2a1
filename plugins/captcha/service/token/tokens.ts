import { CompactSign, compactVerify, errors } from "jose";
import { isObject } from "../../../../runtime/abi/plugin-api.js";
import type { CaptchaClock, OpenedToken, TokenClaims, TokenFault, Tokens } from "../contract.js";
import type { KeyRecords } from "../store/key-records.js";
import { headerOf, KeyRing, KID, type RingKey, TYPE } from "./key-ring.js";

/** Reference section 0, decision 3. */
export const MAX_TOKEN_CHARACTERS = 2_048;

export interface TokenOptions {
  /** Claim `iss`. */
  issuer: () => string;
}

/**
 * EdDSA, signed by the newest key of the ring, verified only by the key that the header names. Makes the
 * first signing key of an empty store.
 * @throws StorageError if the store can be read but does not keep a key; an unreachable one is tried again at
 *   the first use
 */
export async function openTokens(
  records: KeyRecords,
  clock: CaptchaClock,
  options: TokenOptions,
): Promise<Tokens & Pick<KeyRing, "kids">> {
  const ring = new KeyRing(records, clock);
  await ring.signing().catch(() => undefined);
  return {
    async issue(claims, ttlMs) {
      const key = await ring.signing();
      return await signed(key, withTimes(claims, ttlMs, clock.now(), options.issuer()));
    },
    async open(token) {
      // Before the lookup of the key: a loss in between must be noticed.
      const losses = records.losses();
      const found = await opened(ring, token);
      return "reason" in found ? found : { ...found, isCurrent: () => records.losses() === losses };
    },
    rotate: () => ring.rotate(),
    kids: () => ring.kids(),
  };
}

function withTimes(claims: TokenClaims, ttlMs: number, now: number, issuer: string): Record<string, unknown> {
  const iat = Math.floor(now / 1_000);
  return { ...claims, iss: issuer, iat, exp: iat + Math.ceil(ttlMs / 1_000) };
}

async function signed(key: RingKey, payload: Record<string, unknown>): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(payload), "utf8");
  const token = await new CompactSign(bytes).setProtectedHeader(headerOf(key)).sign(key.private);
  if (token.length > MAX_TOKEN_CHARACTERS)
    throw new RangeError(`a token above ${MAX_TOKEN_CHARACTERS} characters`);
  return token;
}

async function opened(
  ring: KeyRing,
  token: string,
): Promise<Pick<OpenedToken, "payload"> | { reason: TokenFault }> {
  const parts = token.length <= MAX_TOKEN_CHARACTERS ? token.split(".") : [];
  const [header = "", payload = "", signature = ""] = parts;
  if (parts.length !== 3 || ![header, payload, signature].every(isBase64Url)) return { reason: "malformed" };
  const key = await keyOf(ring, header);
  if (typeof key === "string") return { reason: key };
  try {
    const { payload: bytes } = await compactVerify(token, key.public, { algorithms: [key.alg] });
    const claims: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isObject(claims) ? { payload: claims } : { reason: "malformed" };
  } catch (error) {
    const forged = error instanceof errors.JWSSignatureVerificationFailed;
    return { reason: forged ? "bad_signature" : "malformed" };
  }
}

/** True for the only encoding of its octets: no padding, blanks or spare bits (RFC 4648 section 3.5). */
function isBase64Url(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text) && Buffer.from(text, "base64url").toString("base64url") === text;
}

function headerObject(header: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The header only names a key: any other header than that of the key's tokens is a fault. */
async function keyOf(ring: KeyRing, header: string): Promise<RingKey | TokenFault> {
  const { kid, alg, typ } = headerObject(header) ?? {};
  if (typeof kid !== "string" || !KID.test(kid)) return "malformed";
  const key = await ring.find(kid);
  if (key === undefined) return "unknown_key";
  if (header === key.header) return key;
  return alg !== key.alg && typ === TYPE ? "bad_algorithm" : "malformed";
}
