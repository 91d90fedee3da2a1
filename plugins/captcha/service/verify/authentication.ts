import { timingSafeEqual } from "node:crypto";
import type { CaptchaParts, CaptchaRequest, LiveConfiguration } from "../contract.js";
import type { Rejection, VerifyReason } from "./answer.js";
import { apiKeyDigest, apiKeyParts } from "./api-key.js";
import { TEST_API_KEY, TEST_CUSTOMER } from "./test-keys.js";

export interface Caller {
  customer: string;
  /** The test API key (H10). */
  test: boolean;
  /** Reported as "last used". */
  keyId: string;
}

/** Maximum per network and minute, then 429. A right key is never rejected because of its neighbours. */
const MAX_BAD_KEYS = 30;
/** Compared with an unknown id, so that it takes the same steps as a wrong secret (A19). */
const NO_DIGEST = Buffer.alloc(32);
/** An administrator's key of this product (H32) must not be sent to a public endpoint. */
const ADMIN_KEY = /^adm_|^[A-Za-z0-9_-]{32}$/;

/** Step 2 of reference 5.4: the key in `X-Api-Key`, and nowhere else. */
export function callerOf(
  parts: Pick<CaptchaParts, "configuration" | "clock" | "rates" | "report">,
  request: CaptchaRequest,
): Caller | Rejection {
  const configuration = parts.configuration();
  const texts = request.headers.getAll("x-api-key");
  const text = texts.length === 1 ? (texts[0] ?? "") : "";
  if (configuration.settings.testing && text === TEST_API_KEY)
    return { customer: TEST_CUSTOMER, test: true, keyId: TEST_API_KEY };
  const found = text === "" ? "missing_api_key" : knownKey(configuration, text, parts.clock.now());
  if (typeof found === "object") return found;
  parts.rates.add("bad_api_key", request.client, "");
  if (parts.rates.count("bad_api_key", request.client, "", 1) > MAX_BAD_KEYS)
    return { status: 429, error: "invalid_api_key", reason: "too_many_bad_api_keys" };
  if (isAdminKey(configuration, text)) parts.report("captcha_admin_key_on_verify", {});
  return { status: 401, error: "invalid_api_key", reason: found };
}

/** Judges by the format if the keys are not known here. */
function isAdminKey({ adminKeys, secrets }: LiveConfiguration, text: string): boolean {
  return ADMIN_KEY.test(text) || adminKeys?.has(apiKeyDigest(secrets["api-key"], text)) === true;
}

function knownKey(
  { apiKeys, customers, secrets }: LiveConfiguration,
  text: string,
  now: number,
): Caller | VerifyReason {
  const id = apiKeyParts(text)?.id;
  if (id === undefined) return "malformed_api_key";
  const key = apiKeys.get(id);
  const expected = key === undefined ? NO_DIGEST : Buffer.from(key.digest, "base64url");
  const given = Buffer.from(apiKeyDigest(secrets["api-key"], text), "base64url");
  const same = timingSafeEqual(given, expected.length === given.length ? expected : NO_DIGEST);
  if (!same || key === undefined) return "unknown_api_key";
  if (!key.enabled || customers.get(key.customer)?.enabled !== true) return "unknown_api_key";
  if (key.expires !== null && now >= key.expires * 1_000) return "expired_api_key";
  return { customer: key.customer, test: false, keyId: id };
}
