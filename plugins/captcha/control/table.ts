import { environmentReferences } from "../../../runtime/abi/plugin-api.js";
import type { CaptchaApiKey, CaptchaTable } from "../captcha-table.js";
import type { KnownApiKey } from "../service/contract.js";
import { apiKeyDigest, apiKeyParts } from "../service/verify/api-key.js";

/** Table for the captcha, and the omitted keys. */
export interface ServiceTable extends Omit<CaptchaTable, "apiKeys"> {
  apiKeys: KnownApiKey[];
  /** Never contains the key's text. */
  left: { apiKey: string; reason: string }[];
}

/** @param pepper the key "api-key", 32 bytes @param resolve undefined if the reference is not known here */
export function serviceTable(
  { customers, siteKeys, apiKeys }: CaptchaTable,
  pepper: Buffer,
  resolve: (reference: string) => string | undefined,
): ServiceTable {
  const left: ServiceTable["left"] = [];
  const known = apiKeys.flatMap((apiKey): KnownApiKey[] => {
    const { digest: issued, secret, ...rest } = apiKey;
    if (issued !== null) return [{ ...rest, digest: issued }];
    const found = textOf(apiKey, resolve);
    if ("text" in found) return [{ ...rest, digest: apiKeyDigest(pepper, found.text) }];
    left.push({ apiKey: apiKey.id, reason: found.reason });
    return [];
  });
  return { customers, siteKeys, apiKeys: known, left };
}

function textOf(
  { id, secret }: CaptchaApiKey,
  resolve: (reference: string) => string | undefined,
): { text: string } | { reason: string } {
  const text = secret === null ? undefined : resolve(secret);
  if (text === undefined) {
    const [variable] = environmentReferences(secret ?? "");
    const unset = variable && `the environment variable ${variable.name} is not set`;
    return { reason: unset ?? "its text is unknown until the configuration compiles" };
  }
  const parts = apiKeyParts(text.trim());
  if (parts === undefined) return { reason: "its text is not an API key: create one with gwc captcha init" };
  if (parts.id !== id) return { reason: `its text is the key with another id: ${parts.id}` };
  return { text: text.trim() };
}
