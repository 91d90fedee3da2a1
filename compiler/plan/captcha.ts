import { canonicalHash } from "../../runtime/abi/canonical.js";
import { CAPTCHA_SECRET, type CaptchaTable } from "../../runtime/abi/captcha.js";
import { isEmptyTable } from "../../runtime/abi/plugin-tables.js";
import type { ResolvedCaptcha } from "../resolve/resolved.js";
import type { SecretKeeper } from "./secret.js";

/** What the captcha is given; undefined when there is nothing. Texts of API keys stay with `secrets`. */
export function planCaptcha(captcha: ResolvedCaptcha, secrets: SecretKeeper): CaptchaTable | undefined {
  const apiKeys = captcha.apiKeys.map(({ key, ...others }) => {
    if (!key) return { ...others, secret: null };
    const place = `api_key:${others.id}:captcha_api_keys.${others.id}.key`;
    return { ...others, secret: secrets.reference(key.text, place, key.span, CAPTCHA_SECRET).reference };
  });
  const table = { ...captcha, apiKeys };
  return isEmptyTable(table) ? undefined : table;
}

/** Rows of site keys stay the same objects from write to write. */
const hashes = new WeakMap<object, string>();

/** sha256, hex, out of the hashes of the rows: a write changes one of many. */
export function captchaHash({ customers, siteKeys, apiKeys }: CaptchaTable): string {
  const rows = siteKeys.map((row) => {
    const hash = hashes.get(row) ?? canonicalHash(row);
    hashes.set(row, hash);
    return hash;
  });
  return canonicalHash({ customers, siteKeys: rows, apiKeys });
}
