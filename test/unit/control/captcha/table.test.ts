import { expect, it } from "vitest";
import type { CaptchaApiKey } from "../../../../plugins/captcha/captcha-table.js";
import { serviceTable } from "../../../../plugins/captcha/control/link.js";
import { apiKeyDigest, newApiKey } from "../../../../plugins/captcha/service/verify/api-key.js";

const PEPPER = Buffer.alloc(32, 7);
const table = (key: Pick<CaptchaApiKey, "id" | "digest" | "secret">) => ({
  customers: [{ id: "shop", enabled: true }],
  siteKeys: [],
  apiKeys: [{ customer: "shop", enabled: true, expires: null, ...key }],
});
const nothing = () => undefined;

it("the service table contains the digest of a key that the gateway issued", () => {
  const told = serviceTable(table({ id: "abcdefgh", digest: "d", secret: null }), PEPPER, nothing);
  expect(told.apiKeys).toEqual([
    { id: "abcdefgh", customer: "shop", enabled: true, expires: null, digest: "d" },
  ]);
});

it("the service table contains the digest of a key from a variable, but not its text", () => {
  const { id, key } = newApiKey();
  const resolve = (reference: string) => (reference === "${{KEY}}" ? `${key}\n` : undefined);
  const told = serviceTable(table({ id, digest: null, secret: "${{KEY}}" }), PEPPER, resolve);
  expect(told.apiKeys.map(({ digest }) => digest)).toEqual([apiKeyDigest(PEPPER, key)]);
  expect(JSON.stringify(told)).not.toContain(key);
  expect(told.left).toEqual([]);
});

it.each<[string, string, string | undefined, string]>([
  ["a variable that is not set", "${{KEY}}", undefined, "the environment variable KEY is not set"],
  [
    "a literal that is not known",
    "secret:1",
    undefined,
    "its text is unknown until the configuration compiles",
  ],
  [
    "a text of another form",
    "${{KEY}}",
    "hunter2",
    "its text is not an API key: create one with gwc captcha init",
  ],
])("the service table omits %s and reports it without its text", (_name, secret, text, reason) => {
  const told = serviceTable(table({ id: "abcdefgh", digest: null, secret }), PEPPER, () => text);
  expect(told.apiKeys).toEqual([]);
  expect(told.left).toEqual([{ apiKey: "abcdefgh", reason }]);
});

it("the service table omits a key whose text has the id of another key", () => {
  const { id, key } = newApiKey();
  const told = serviceTable(table({ id: "abcdefgh", digest: null, secret: "${{KEY}}" }), PEPPER, () => key);
  expect(told.left).toEqual([{ apiKey: "abcdefgh", reason: `its text is the key with another id: ${id}` }]);
});
