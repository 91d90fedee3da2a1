import { randomBytes } from "node:crypto";
import type { CaptchaSiteKey } from "../../../../plugins/captcha/captcha-table.js";
import type { CaptchaConfiguration } from "../../../../plugins/captcha/service/contract.js";
import { apiKeyDigest, newApiKey } from "../../../../plugins/captcha/service/verify/api-key.js";
import { captchaLimits, captchaPrices } from "../../../support/captcha-limits.js";
import { plainSiteKey } from "../../../support/captcha-site-key.js";

// 16 puzzles of 256 hashes: the work ends before a page is complete.
const SITE_KEY = plainSiteKey("site-key", "shop", {
  hostnames: ["site.localhost"],
  powBits: 8,
  ipBinding: "off",
});

/**
 * Site keys of the tests. A driven browser has the floor of webdriver, 0.9 or more: it always gets a task
 * with the default threshold, and never with a threshold of 1 (strictly above).
 */
export const KEYS = {
  /** A score is never above its threshold. */
  low: "site-key-low",
  /** Default settings: a driven browser gets a task. */
  normal: "site-key-normal",
  shapes: "site-key-shapes",
  rings: "site-key-rings",
  /** A second key like `low`, for a page with several. */
  second: "site-key-second",
  disabled: "site-key-disabled",
  elsewhere: "site-key-elsewhere",
  russian: "site-key-russian",
  minute: "site-key-minute",
  /** A key with an operator of the site. */
  operator: "site-key-operator",
  /** A key whose form may be embedded by partner.localhost. */
  embedded: "site-key-embedded",
  /** Like `embedded`, and a driven browser gets a task. */
  embeddedTask: "site-key-embedded-task",
} as const;

export interface KnownConfiguration {
  configuration: CaptchaConfiguration;
  /** The customer's API key. */
  apiKey: string;
}

/** @param url {captcha_url} as browsers see it */
export function configurationFor(
  url: string,
  change: Partial<CaptchaConfiguration["settings"]> = {},
  siteKeys: Partial<CaptchaSiteKey> = {},
): KnownConfiguration {
  const key = (id: string, settings: Partial<CaptchaSiteKey> = {}): CaptchaSiteKey => ({
    ...SITE_KEY,
    ...siteKeys,
    ...settings,
    id,
  });
  const secret = () => randomBytes(32).toString("base64");
  const secrets = {
    ...{ "api-key": secret(), "ip-binding": secret(), address: secret() },
    ...{ "key-ring": secret(), program: secret() },
  };
  const made = newApiKey();
  const digest = apiKeyDigest(Buffer.from(secrets["api-key"], "base64"), made.key);
  return {
    apiKey: made.key,
    configuration: {
      settings: {
        url,
        store: { type: "memory" },
        trustedAddresses: [],
        testing: false,
        audit: [],
        hostingNetworks: [],
        limits: captchaLimits({
          sessions: 10_000,
          claims: 10_000,
          sessionsSoft: 10_000,
          sessionsHard: 20_000,
        }),
        price: captchaPrices(),
        ...change,
      },
      customers: [{ id: "shop", enabled: true }],
      siteKeys: [
        key(KEYS.low, { threshold: 1 }),
        key(KEYS.second, { threshold: 1 }),
        key(KEYS.normal),
        key(KEYS.shapes, { taskTypes: ["shapes", "text", "audio"] }),
        key(KEYS.rings, { taskTypes: ["rings", "text", "audio"] }),
        key(KEYS.disabled, { enabled: false }),
        key(KEYS.elsewhere, { hostnames: ["example.com"] }),
        key(KEYS.russian, { threshold: 1, languages: ["ru"] }),
        key(KEYS.embedded, { threshold: 1, embedHosts: ["partner.localhost"] }),
        key(KEYS.embeddedTask, { embedHosts: ["partner.localhost"] }),
        key(KEYS.operator, {
          threshold: 1,
          operator: { name: "Магазин «Ёлка»", link: "https://example.com/contact" },
        }),
        key(KEYS.minute, { threshold: 1, tokenTtl: 60 }),
      ],
      apiKeys: [{ id: made.id, customer: "shop", enabled: true, expires: null, digest }],
      secrets,
    },
  };
}
