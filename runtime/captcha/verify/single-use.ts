import { createHash } from "node:crypto";
import type { CaptchaParts } from "../contract.js";
import type { Rejection } from "./answer.js";
import type { ReadClaims } from "./claims.js";

/** Claims outlive their tokens by this much (ms), so that a node whose clock is behind finds them still. */
const GRACE_MS = 120_000;
/** Failed uses of one token (step 11) after which it is used up. */
const MOST_FAILURES = 5;

type Parts = Pick<CaptchaParts, "clock" | "claims">;

const ttlOf = ({ clock }: Parts, { exp }: ReadClaims) => exp * 1_000 - clock.now() + GRACE_MS;
const tokenId = ({ requestId }: ReadClaims) => `token/${requestId}`;

/**
 * Step 12: the one atomic claim that makes a token single-use. With an idempotency key its winner may ask again and hears the same.
 * @throws StorageError; then nobody has been told that the token passed
 */
export async function claimToken(
  parts: Parts,
  claims: ReadClaims,
  idempotencyKey: string | undefined,
): Promise<Rejection | undefined> {
  const mark =
    idempotencyKey === undefined ? "once" : createHash("sha256").update(idempotencyKey).digest("base64url");
  const claim = await parts.claims.claim(tokenId(claims), ttlOf(parts, claims), mark);
  if (claim.won || (idempotencyKey !== undefined && claim.value === mark)) return undefined;
  return { status: 200, error: "invalid_jwt", reason: "already_used" };
}

/** Counts a failed use, in the store, so that all processes count together; the last one uses the token up. @throws StorageError */
export async function countFailure(parts: Parts, claims: ReadClaims): Promise<void> {
  const ttl = ttlOf(parts, claims);
  for (let i = 1; i <= MOST_FAILURES; i++) {
    const { won } = await parts.claims.claim(`${tokenId(claims)}/failure/${i}`, ttl, "");
    if (!won) continue;
    if (i === MOST_FAILURES) await parts.claims.claim(tokenId(claims), ttl, "burnt");
    return;
  }
}
