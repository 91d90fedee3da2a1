import type { CaptchaSiteKey } from "../../captcha-table.js";

/** Fixed keys for automated tests (H10), which only exist if `testing` is on, and only for each other. */
export const TEST_API_KEY = "sp-test-api-key";
export const TEST_CUSTOMER = "sp-test";

/** Tokens of this key never pass, so that a site can test a failure. */
export const TEST_FAIL = "sp-test-fail";

const KEYS: ReadonlyMap<string, CaptchaSiteKey> = new Map(
  [
    testKey("sp-test-pass", { challengeMode: "never" }),
    testKey(TEST_FAIL, { challengeMode: "never" }),
    testKey("sp-test-task", { challengeMode: "always" }),
    testKey("sp-test-expired", { challengeMode: "never", tokenTtl: 2 }),
  ].map((key) => [key.id, key]),
);

/** Every page may use a test site key. */
export const testSiteKey = (id: string): CaptchaSiteKey | undefined => KEYS.get(id);

function testKey(id: string, settings: Partial<CaptchaSiteKey>): CaptchaSiteKey {
  return {
    id,
    customer: TEST_CUSTOMER,
    enabled: true,
    hostnames: [],
    threshold: 0.5,
    challengeMode: "adaptive",
    taskTypes: ["shapes", "rings", "text", "audio"],
    patience: true,
    powBits: 8,
    work: "sha256",
    ipBinding: "off",
    tokenTtl: 300,
    embedHosts: [],
    exposeScore: false,
    operator: null,
    shadow: false,
    languages: ["ru", "en"],
    theme: "auto",
    ...settings,
  };
}
