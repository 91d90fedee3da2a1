import { timingSafeEqual } from "node:crypto";
import { isObject } from "../../../runtime/abi/plugin-api.js";
import { type ApiResponse, failure, json } from "../../../runtime/process/contribution-api.js";
import type { CaptchaTable } from "../captcha-table.js";
import type { KnownApiKey } from "../service/contract.js";
import { apiKeyDigest, apiKeyParts } from "../service/verify/api-key.js";

/** Reasons for no verdicts with a site key and an API key. */
export const DENIALS = [
  "no_site_key",
  "site_key_disabled",
  "customer_disabled",
  "variable_unset",
  "malformed_api_key",
  "unknown_api_key",
  "api_key_disabled",
  "api_key_expired",
  "other_customer",
  "captcha_away",
] as const;
type Denial = (typeof DENIALS)[number];

export interface KnownKeys extends Pick<CaptchaTable, "customers" | "siteKeys"> {
  apiKeys: readonly KnownApiKey[];
  pepper: Buffer;
  /** Undefined if one of the key's variables is not set. */
  textOf(apiKey: string): string | undefined;
  up: boolean;
}

/** `POST captcha/access`: checks both keys as a verification would, before something depends on them. */
export function access(known: KnownKeys, bodyText: string, now: number): ApiResponse {
  const asked = askedIn(bodyText);
  if (asked === undefined)
    return failure(400, "invalid request body: site_key and api_key should be texts of 1 to 256 characters");
  const reasons = [...denialsOfSiteKey(known, asked.siteKey), ...denialsOfApiKey(known, asked, now)];
  if (!known.up) reasons.push("captcha_away");
  const body = { works: reasons.length === 0, reasons: [...new Set(reasons)] };
  return { ...json(200, body), headers: { "Cache-Control": "no-store" } };
}

interface Asked {
  siteKey: string;
  apiKey: string;
}

const LONGEST = 256;
const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= LONGEST;

function askedIn(bodyText: string): Asked | undefined {
  try {
    const body: unknown = JSON.parse(bodyText);
    const { site_key: siteKey, api_key: apiKey } = isObject(body) ? body : {};
    return isText(siteKey) && isText(apiKey) ? { siteKey, apiKey } : undefined;
  } catch {
    return undefined;
  }
}

function denialsOfSiteKey(known: KnownKeys, id: string): Denial[] {
  const siteKey = known.siteKeys.find((one) => one.id === id);
  if (siteKey === undefined) return ["no_site_key"];
  return [
    ...(siteKey.enabled ? [] : (["site_key_disabled"] as const)),
    ...(isEnabled(known, siteKey.customer) ? [] : (["customer_disabled"] as const)),
  ];
}

const isEnabled = ({ customers }: KnownKeys, id: string): boolean =>
  customers.some((one) => one.id === id && one.enabled);

function denialsOfApiKey(known: KnownKeys, asked: Asked, now: number): Denial[] {
  const text = known.textOf(asked.apiKey);
  if (text === undefined) return ["variable_unset"];
  const id = apiKeyParts(text)?.id;
  if (id === undefined) return ["malformed_api_key"];
  const key = known.apiKeys.find((one) => one.id === id);
  if (key === undefined || !isSame(key.digest, apiKeyDigest(known.pepper, text))) return ["unknown_api_key"];
  const owner = known.siteKeys.find((one) => one.id === asked.siteKey)?.customer;
  return [
    ...(key.enabled ? [] : (["api_key_disabled"] as const)),
    ...(key.expires === null || now < key.expires * 1_000 ? [] : (["api_key_expired"] as const)),
    ...(isEnabled(known, key.customer) ? [] : (["customer_disabled"] as const)),
    ...(owner === undefined || owner === key.customer ? [] : (["other_customer"] as const)),
  ];
}

function isSame(kept: string, given: string): boolean {
  const [a, b] = [Buffer.from(kept), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
