import { createHash } from "node:crypto";
import type { CaptchaParts, ClientAddress } from "../contract.js";
import type { Rejection } from "./answer.js";
import { addressMark } from "./binding.js";
import type { ReadClaims } from "./token-checks.js";

/** Time by which claims outlive their tokens, so that a node with a slow clock still finds them. */
const GRACE_MS = 120_000;
/** Failed uses (step 11) after which a token is used up. */
const MAX_FAILURES = 5;
/** A second submission of a form from one address within this time is a double click. */
const DOUBLE_CLICK_MS = 10_000;

type Parts = Pick<CaptchaParts, "clock" | "claims" | "configuration">;

export const ttlOf = ({ clock }: Pick<Parts, "clock">, { exp }: ReadClaims) =>
  exp * 1_000 - clock.now() + GRACE_MS;
const tokenId = ({ requestId }: ReadClaims) => `token/${requestId}`;

/**
 * Step 12: the one atomic claim that makes a token single-use. With an idempotency key the winner may repeat
 * the request and gets the same result. The claim's value is the winner's mark, the time, and a keyed hash of
 * the token's address.
 * @param address the visitor's, if the backend sent it
 * @returns `again`: rejected like every second use, but from the visitor who has just used it
 * @throws StorageError, after which no caller knows that the token passed
 */
export async function claimToken(
  parts: Parts,
  claims: ReadClaims,
  idempotencyKey: string | undefined,
  address: ClientAddress | undefined,
): Promise<{ fault: Rejection; again: boolean } | undefined> {
  const mark =
    idempotencyKey === undefined ? "once" : createHash("sha256").update(idempotencyKey).digest("base64url");
  const secret = parts.configuration().secrets["ip-binding"];
  const from = address === undefined ? "" : addressMark(address, secret);
  const at = Math.floor(parts.clock.now());
  const use = `${mark} ${at.toString(36)} ${from}`;
  const claim = await parts.claims.claim(tokenId(claims), ttlOf(parts, claims), use);
  if (claim.won) return undefined;
  const [firstMark, firstAt = "", firstFrom] = claim.value.split(" ");
  if (idempotencyKey !== undefined && firstMark === mark) return undefined;
  const passed = Math.abs(at - Number.parseInt(firstAt, 36));
  const again = from !== "" && firstFrom === from && passed <= DOUBLE_CLICK_MS;
  return { fault: { status: 200, error: "invalid_jwt", reason: "already_used" }, again };
}

/** Stored, so that all processes count together; the last failure uses the token up. @throws StorageError */
export async function countFailure(parts: Parts, claims: ReadClaims): Promise<void> {
  const ttl = ttlOf(parts, claims);
  for (let i = 1; i <= MAX_FAILURES; i++) {
    const { won } = await parts.claims.claim(`${tokenId(claims)}/failure/${i}`, ttl, "");
    if (!won) continue;
    if (i === MAX_FAILURES) await parts.claims.claim(tokenId(claims), ttl, "burnt");
    return;
  }
}
