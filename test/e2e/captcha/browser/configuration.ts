import { randomBytes } from "node:crypto";
import type { CaptchaSiteKey } from "../../../../plugins/captcha/captcha-table.js";
import type { CaptchaConfiguration } from "../../../../plugins/captcha/service/contract.js";
import { apiKeyDigest, newApiKey } from "../../../../plugins/captcha/service/verify/api-key.js";
import { captchaLimits, captchaPrices } from "../../../support/captcha-limits.js";
import { plainSiteKey } from "../../../support/captcha-site-key.js";

// 16 puzzles of 256 hashes: the work is done before a page has settled.
const SITE_KEY = plainSiteKey("site-key", "shop", {
  hostnames: ["site.localhost"],
  powBits: 8,
  ipBinding: "off",
});

/**
 * Site keys of the tests. A browser that is driven has webdriver's floor, 0.9 and more: with the default threshold it always gets
 * a task, with a threshold of 1 never (strictly above).
 */
export const KEYS = {
  /** Score never above the threshold. */
  low: "site-key-low",
  /** As it comes: a driven browser gets a task. */
  normal: "site-key-normal",
  shapes: "site-key-shapes",
  rings: "site-key-rings",
  /** Of the same kind as `low`, for a page with several. */
  second: "site-key-second",
  disabled: "site-key-disabled",
  elsewhere: "site-key-elsewhere",
  russian: "site-key-russian",
  minute: "site-key-minute",
  /** Names who runs the site. */
  operator: "site-key-operator",
  /** Its form may be shown by partner.localhost. */
  embedded: "site-key-embedded",
  /** The same, and a driven browser gets a task. */
  embeddedTask: "site-key-embedded-task",
} as const;

export interface KnownConfiguration {
  configuration: CaptchaConfiguration;
  /** The text of the customer's private key. */
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
