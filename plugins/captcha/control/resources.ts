import { randomBytes } from "node:crypto";
import type { Issued, ResourceContribution } from "../../../runtime/process/contribution-api.js";
import { isReservedSiteKey, SITE_KEY } from "../captcha-table.js";
import { apiKeyDigest, newApiKey } from "../service/verify/api-key.js";
import type { CaptchaLink } from "./link.js";

export const RESOURCES: readonly ResourceContribution[] = [
  {
    kind: "captcha_customers",
    rows: "customers",
    path: "captcha/customers",
    label: "captcha customer",
    fitting: (id) => /^[A-Za-z0-9\-_.]{1,64}$/.test(id),
  },
  {
    kind: "captcha_site_keys",
    rows: "siteKeys",
    path: "captcha/site-keys",
    label: "captcha site key",
    fitting: (id) => SITE_KEY.test(id) && !isReservedSiteKey(id),
    // 96 random bits: nobody guesses a site key.
    newId: () => `sk_${randomBytes(12).toString("base64url")}`,
  },
  {
    kind: "captcha_api_keys",
    rows: "apiKeys",
    path: "captcha/api-keys",
    label: "captcha api key",
    fitting: () => false,
    newId: () => newApiKey().id,
    // Keys are made here, so that none is weak and only the receiver knows them.
    readOnlyFields: ["key", "digest"],
    // Captcha reference H34.
    hidden: ["digest"],
    issue: (id, before, link) => issued(id, before?.["digest"], link as CaptchaLink | undefined),
  },
];

/** Only the digest of a new key is stored (captcha reference 5.6, H34). An existing one keeps its digest. */
function issued(id: string, digest: unknown, link: CaptchaLink | undefined): Issued {
  if (digest !== undefined) return { fields: { digest } };
  if (!link)
    return {
      refused: 'API keys need the secret of the captcha: the configuration has no section "captcha"',
    };
  const { key } = newApiKey(id);
  return { fields: { digest: apiKeyDigest(link.apiKeyPepper, key) }, secret: key };
}
