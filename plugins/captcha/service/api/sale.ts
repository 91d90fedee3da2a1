import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { CaptchaParts, Sale, Scarce } from "../contract.js";
import { MAX_BITS } from "../pow/proof.js";
import { testSiteKey } from "../verify/test-keys.js";
import { ApiRejection, sessionExpired } from "./refusal.js";
import type { SessionCall } from "./sessions.js";

/** Rise of the price since the session began that is forgiven: the first visitor need not work twice. */
const GRACE_BITS = 1;

type Decision = "token" | "task" | "shadow";
type Visit = Pick<SessionCall, "parts" | "request" | "siteKey">;

/** Their tokens have no value and no price. */
export const isTestKey = (
  { configuration }: Pick<CaptchaParts, "configuration">,
  { id }: Pick<CaptchaSiteKey, "id">,
): boolean => configuration().settings.testing && testSiteKey(id) !== undefined;

const USED_UP: Record<Scarce, string> = {
  audio: "Sound has been used up by this network: wait as long as Retry-After says, or ask for another kind.",
  patience:
    "The way without a puzzle has been used up by this network: wait as long as Retry-After says, or ask for a task.",
};

/** Counts nothing. @throws Refusal 429 if the network has used its share of a scarce way */
export function checkRoom({ parts, request, siteKey }: Visit, what: Scarce): void {
  const ms = isTestKey(parts, siteKey) ? 0 : parts.prices.msToRoom(request.client, what);
  if (ms > 0) throw rateLimited(ms, USED_UP[what]);
}

const rateLimited = (ms: number, message?: string) =>
  new ApiRejection(429, "rate_limited", Math.max(1_000, ms), message);

/** Counts one use. @throws Refusal 429 as `checkRoom` does */
export function take(visit: Visit, what: Scarce): void {
  checkRoom(visit, what);
  const { parts, request, siteKey } = visit;
  if (!isTestKey(parts, siteKey)) parts.prices.take(request.client, what);
}

/** @throws Refusal 429 if the network must wait anyway */
export function priceOfSession({ parts, request, siteKey }: Visit): { bits: number; attack: number } {
  if (isTestKey(parts, siteKey)) return { bits: 0, attack: 0 };
  const { stage, bits, attack, retryMs } = parts.prices.quote(request.client, siteKey.id);
  if (stage === "wait" && !siteKey.shadow) throw rateLimited(retryMs);
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
  { parts, request: { client }, siteKey }: Visit,
  decision: Decision,
  paid: number,
): { decision: Decision; sale?: Sale } {
  if (isTestKey(parts, siteKey)) return { decision };
  const { prices } = parts;
  const { shadow } = siteKey;
  const least = decision === "task" ? "task" : "free";
  const { stage, bits, retryMs } = prices.quote(client, siteKey.id, least);
  if (stage === "wait" && !shadow) {
    prices.sell(client, siteKey.id, least);
    throw rateLimited(retryMs);
  }
  const task = decision === "task" || (stage === "task" && siteKey.challengeMode === "adaptive" && !shadow);
  if (!task && paid + GRACE_BITS < Math.min(MAX_BITS, siteKey.powBits + bits)) throw sessionExpired();
  return { decision: task ? "task" : decision, sale: prices.sell(client, siteKey.id, least) };
}

/** Score of a browser that says it is automated (score/model.ts). */
const DECISIVE = 0.9;
const TEST_WAIT_MS = 1_000;

/**
 * Reports whether a visitor may wait instead of solving a task. The click on the checkbox must then have
 * proved a browser: it ran the session's program, and its score is not decisive.
 */
export function mayWaitInsteadOfTask({ parts, siteKey, session: { tick } }: SessionCall): boolean {
  if (!siteKey.patience || tick === undefined) return false;
  return isTestKey(parts, siteKey) || (tick.proven && tick.score < DECISIVE);
}

/** Wait in ms: `patienceMs`, and half of it more for each level of difficulty. */
export const waitMs = ({ parts, siteKey }: SessionCall, level: number): number =>
  isTestKey(parts, siteKey)
    ? TEST_WAIT_MS
    : parts.configuration().settings.price.patienceMs * (1 + level / 2);
