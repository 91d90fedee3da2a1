import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { CaptchaParts, CaptchaRequest, Sale, Scarce } from "../contract.js";
import { MAX_BITS } from "../pow/proof.js";
import { testSiteKey } from "../verify/test-keys.js";
import { ApiRejection, sessionExpired } from "./refusal.js";

/** Rise of the price since the session began that is forgiven: the first visitor need not work twice. */
const GRACE_BITS = 1;

type Decision = "token" | "task" | "shadow";
type Seller = Pick<CaptchaParts, "prices" | "configuration">;

/** Their tokens have no value and no price. */
export const isTestKey = (
  { configuration }: Pick<Seller, "configuration">,
  { id }: Pick<CaptchaSiteKey, "id">,
): boolean => configuration().settings.testing && testSiteKey(id) !== undefined;

const USED_UP: Record<Scarce, string> = {
  audio: "Sound has been used up by this network: wait as long as Retry-After says, or ask for another kind.",
  patience:
    "The way without a puzzle has been used up by this network: wait as long as Retry-After says, or ask for a task.",
};

/** Counts nothing. @throws Refusal 429 if the network has used its share of a scarce way */
export function checkRoom(
  seller: Seller,
  { client }: Pick<CaptchaRequest, "client">,
  siteKey: CaptchaSiteKey,
  what: Scarce,
): void {
  const ms = isTestKey(seller, siteKey) ? 0 : seller.prices.msToRoom(client, what);
  if (ms > 0) throw new ApiRejection(429, "rate_limited", Math.max(1_000, ms), USED_UP[what]);
}

/** Counts one use. @throws Refusal 429 as `checkRoom` does */
export function take(
  seller: Seller,
  request: Pick<CaptchaRequest, "client">,
  siteKey: CaptchaSiteKey,
  what: Scarce,
): void {
  checkRoom(seller, request, siteKey, what);
  if (!isTestKey(seller, siteKey)) seller.prices.take(request.client, what);
}

/** @throws Refusal 429 if the network must wait anyway */
export function priceOfSession(
  seller: Seller,
  { client }: Pick<CaptchaRequest, "client">,
  siteKey: CaptchaSiteKey,
): { bits: number; attack: number } {
  if (isTestKey(seller, siteKey)) return { bits: 0, attack: 0 };
  const { stage, bits, attack, retryMs } = seller.prices.quote(client, siteKey.id);
  if (stage === "wait" && !siteKey.shadow)
    throw new ApiRejection(429, "rate_limited", Math.max(1_000, retryMs));
  return { bits, attack };
}

/**
 * Charges the tick's price, which may require a task where the score does not. Tokens of test keys are free.
 * @param decision by the score
 * @param paid bits of the session's work
 * @throws Refusal 429 if the network must wait, 410 if the work was too little: the box starts again at the
 *   current price
 */
export function sellToken(
  seller: Seller,
  { client }: Pick<CaptchaRequest, "client">,
  siteKey: CaptchaSiteKey,
  decision: Decision,
  paid: number,
): { decision: Decision; sale?: Sale } {
  if (isTestKey(seller, siteKey)) return { decision };
  const { prices } = seller;
  const least = decision === "task" ? "task" : "free";
  const { stage, bits, retryMs } = prices.quote(client, siteKey.id, least);
  const passes = siteKey.shadow;
  if (stage === "wait" && !passes) {
    prices.sell(client, siteKey.id, least);
    throw new ApiRejection(429, "rate_limited", Math.max(1_000, retryMs));
  }
  const task =
    decision === "task" || (stage === "task" && siteKey.challengeMode === "adaptive" && !siteKey.shadow);
  if (!task && paid + GRACE_BITS < Math.min(MAX_BITS, siteKey.powBits + bits)) throw sessionExpired();
  return { decision: task ? "task" : decision, sale: prices.sell(client, siteKey.id, least) };
}
