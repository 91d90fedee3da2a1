import type { CaptchaParts, CaptchaRequest, Endpoint } from "../contract.js";
import { json } from "../http/answer.js";
import { openWinning } from "../token/winning.js";
import { type Rejection, rejected, storageFault } from "./answer.js";
import { feedbackParameters } from "./parameters.js";
import { ttlOf } from "./single-use.js";
import { checkToken } from "./token-checks.js";
import { admit, siteKeyOfPath } from "./verify.js";

type Parts = Pick<
  CaptchaParts,
  "clock" | "configuration" | "claims" | "tokens" | "rates" | "prices" | "metrics" | "report"
>;

/** One day after a token's expiry, in which its backend may still report it. */
const REPORT_AFTER_S = 86_400;

interface Reported {
  request_id: string;
  site_key: string;
}

/**
 * `POST /<site_key>/feedback`, once per token: its visitor was a fraud or a good customer. Changes the price
 * of the visitor's network and of the site key (docs/captcha/price.md), and uses no token up.
 */
export function feedbackEndpoint(parts: Parts): Endpoint {
  return (path) => {
    const pathKey = siteKeyOfPath(path, "feedback");
    if (pathKey === undefined) return null;
    return async (request) => {
      const outcome = await report(parts, pathKey, request).catch(storageFault);
      return "error" in outcome ? rejected(outcome, "POST") : json(200, { success: true, ...outcome });
    };
  };
}

/** The verification's checks in their order, then the claim. @throws StorageError */
async function report(parts: Parts, pathKey: string, request: CaptchaRequest): Promise<Reported | Rejection> {
  const admitted = admit(parts, request, ["POST"], feedbackParameters);
  if ("error" in admitted) return admitted;
  const { caller, jwt, verdict } = admitted;
  const checked = await checkToken(parts, pathKey, jwt, caller, REPORT_AFTER_S);
  if ("error" in checked) return checked;
  const { claims, payload } = checked;
  const ttl = ttlOf(parts, claims) + REPORT_AFTER_S * 1_000;
  const { won } = await parts.claims.claim(`report/${claims.requestId}`, ttl, verdict);
  if (!won) return { status: 200, error: "invalid_jwt", reason: "already_reported" };
  const secret = parts.configuration().secrets["key-ring"];
  const networks = openWinning(payload["won"], claims.requestId, secret)?.networks ?? [];
  // Test tokens have no value and change no price.
  if (!caller.test) parts.prices.report(networks, claims.siteKey, verdict);
  const labels = { site_key: claims.siteKey, verdict };
  parts.metrics.counter("gw_captcha_feedback_total", "Reports of backends on visitors.", labels).add(1);
  return { request_id: claims.requestId, site_key: claims.siteKey };
}
