import { randomBytes } from "node:crypto";
import { derivedKeys } from "../control/keys.js";
import { apiKeyDigest, newApiKey } from "../service/verify/api-key.js";
import { type AdminOptions, callAdmin } from "./admin.js";

export interface NewKeys {
  customer: string;
  siteKey: string;
  hostnames: string[];
  apiKey: { id: string; text: string };
}

export interface KeyOptions {
  customer: string;
  hostnames: string[];
}

/** The keys work once the configuration contains them. */
export function newKeys({ customer, hostnames }: KeyOptions): NewKeys {
  const { id, key } = newApiKey();
  const siteKey = `sk_${randomBytes(12).toString("base64url")}`;
  return { customer, siteKey, hostnames, apiKey: { id, text: key } };
}

/** The keys work when this returns. @throws AdminCallError */
export async function createdKeys(options: KeyOptions, admin: AdminOptions): Promise<NewKeys> {
  const { customer, hostnames } = options;
  await callAdmin(admin, "PUT", `captcha/customers/${encodeURIComponent(customer)}`, {});
  const site = await callAdmin(admin, "POST", "captcha/site-keys", { customer, hostnames });
  const api = await callAdmin(admin, "POST", "captcha/api-keys", { customer });
  return {
    customer,
    siteKey: idOf(site),
    hostnames,
    apiKey: { id: idOf(api), text: String(api["secret"]) },
  };
}

function idOf({ value }: Record<string, unknown>): string {
  return String((value as { id?: unknown } | undefined)?.id);
}

export interface ConfigurationOptions {
  url: string | undefined;
  /** `captcha.secret`: with it the configuration contains the key's digest, and the gateway needs no variable. */
  secret: string | undefined;
}

/** Never contains the text of the API key. */
export function yamlOf(
  { customer, siteKey, hostnames, apiKey }: NewKeys,
  { url, secret }: ConfigurationOptions,
): string {
  const key =
    secret === undefined
      ? "key: ${{CAPTCHA_API_KEY}}"
      : `digest: ${apiKeyDigest(derivedKeys(secret)["api-key"], apiKey.text)}`;
  const listed = hostnames.map((hostname) => JSON.stringify(hostname)).join(", ");
  return `captcha:${url === undefined ? " {}" : `\n  url: ${JSON.stringify(url)}`}

captcha_customers:
  - id: ${JSON.stringify(customer)}

captcha_site_keys:
  - id: ${JSON.stringify(siteKey)}
    customer: ${JSON.stringify(customer)}
    hostnames: [${listed}]

captcha_api_keys:
  - id: ${JSON.stringify(apiKey.id)}
    customer: ${JSON.stringify(customer)}
    ${key}
`;
}
