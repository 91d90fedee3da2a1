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
  const key = (await ring.ofHeader(header)) ?? (await keyOfOtherHeader(ring, header));
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

/** Reads a header that this process did not know yet. */
async function keyOfOtherHeader(ring: KeyRing, header: string): Promise<RingKey | TokenFault> {
  const kid = kidOf(header);
  if (kid === undefined) return "malformed";
  const key = await ring.find(kid);
  if (key === undefined) return "unknown_key";
  return header === key.header ? key : headerFault(header, key);
}

function kidOf(header: string): string | undefined {
  const kid = headerObject(header)?.kid;
  return typeof kid === "string" && KID.test(kid) ? kid : undefined;
}

/** Names a known key but differs from the header of this key's tokens. */
function headerFault(header: string, { alg }: RingKey): TokenFault {
  const { alg: claimed, typ } = headerObject(header) ?? {};
  return claimed !== alg && typ === TYPE ? "bad_algorithm" : "malformed";
}
