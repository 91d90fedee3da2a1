import { timingSafeEqual } from "node:crypto";
import type { CaptchaParts, CaptchaRequest, LiveConfiguration } from "../contract.js";
import type { Rejection, VerifyReason } from "./answer.js";
import { apiKeyDigest, apiKeyParts } from "./api-key.js";
import { TEST_API_KEY, TEST_KEY_RECORD } from "./test-keys.js";

/** Owner of a request. */
export interface Caller {
  customer: string;
  /** The caller used the test API key (H10). */
  test: boolean;
  /** Id of the key, for "last used". */
  keyId: string;
}

/**
 * Wrong keys of one network in a minute, above which they get 429. A right key is never rejected because of
 * its neighbours.
 */
const MAX_BAD_KEYS = 30;
/** Compared if no record has the id, so that an unknown id and a wrong secret take the same steps (A19). */
const NO_DIGEST = Buffer.alloc(32);
/** Format of an administrator's key of this product (H32): it must not be sent to a public endpoint. */
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
    return { customer: TEST_KEY_RECORD.customer, test: true, keyId: TEST_KEY_RECORD.id };
  const found = text === "" ? "missing_api_key" : knownKey(configuration, text, parts.clock.now());
  if (typeof found === "object") return found;
  parts.rates.add("bad_api_key", request.client, "");
  if (parts.rates.count("bad_api_key", request.client, "", 1) > MAX_BAD_KEYS)
    return { status: 429, error: "invalid_api_key", reason: "too_many_bad_api_keys" };
  if (isAdminKey(configuration, text)) parts.report("captcha_admin_key_on_verify", {});
  return { status: 401, error: "invalid_api_key", reason: found };
}

/** Reports whether the text is an admin key: by its format if the keys are not known here. */
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
