import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VIEWER_KEY } from "../control/admin.js";
import { CaptchaAdmin, SITE_KEY, secretOf } from "./captcha-admin.js";

const VARIABLE = "GWC_TEST_CAPTCHA_ACCESS_KEY";

let captcha: CaptchaAdmin;
let key = "";
beforeAll(async () => {
  captcha = await CaptchaAdmin.start();
  for (const customer of ["shop", "other"])
    await captcha.created("PUT", `/captcha/customers/${customer}`, {});
  await captcha.created("PUT", "/captcha/site-keys/sk_shop_front", SITE_KEY);
  await captcha.created("PUT", "/captcha/site-keys/sk_other_front", { ...SITE_KEY, customer: "other" });
  key = secretOf(await captcha.created("POST", "/captcha/api-keys", { customer: "shop" }));
});
afterAll(async () => {
  delete process.env[VARIABLE];
  await captcha.stop();
});

const asked = (site_key: unknown, api_key: unknown, how = {}) =>
  captcha.admin.call("POST", "/captcha/access", { site_key, api_key }, how);
const reasons = async (siteKey: string, apiKey: string) => {
  const { status, json } = await asked(siteKey, apiKey);
  expect([status, json["works"]]).toEqual([200, (json["reasons"] as string[]).length === 0]);
  return json["reasons"];
};
const patched = async (path: string, body: object) =>
  expect((await captcha.admin.call("PATCH", `/captcha/${path}`, body)).status).toBe(200);

describe("POST captcha/access", () => {
  it("POST captcha/access accepts a site key and an API key of one customer, also by a variable", async () => {
    expect(await reasons("sk_shop_front", key)).toEqual([]);
    expect(await reasons("sk_shop_front", `\${{${VARIABLE}}}`)).toEqual(["variable_unset"]);
    process.env[VARIABLE] = key;
    expect(await reasons("sk_shop_front", `\${{${VARIABLE}}}`)).toEqual([]);
  });

  it("POST captcha/access reports an unknown, a mistyped and another customer's key", async () => {
    expect(await reasons("sk_nobody_has", key)).toEqual(["no_site_key"]);
    expect(await reasons("sk_other_front", key)).toEqual(["other_customer"]);
    expect(await reasons("sk_shop_front", key.slice(0, -1))).toEqual(["malformed_api_key"]);
    expect(await reasons("sk_shop_front", `spk_filedkey_${"A".repeat(43)}_5511d0`)).toEqual([
      "unknown_api_key",
    ]);
  });

  it("POST captcha/access reports disabled and expired keys, and re-enabled keys verify", async () => {
    const path = `api-keys/${key.slice(4, 12)}`;
    await patched("site-keys/sk_shop_front", { enabled: false });
    await patched("customers/shop", { enabled: false });
    await patched(path, { enabled: false, expires: "2020-01-01T00:00:00Z" });
    expect(await reasons("sk_shop_front", key)).toEqual([
      ...["site_key_disabled", "customer_disabled", "api_key_disabled", "api_key_expired"],
    ]);
    await patched("site-keys/sk_shop_front", { enabled: true });
    await patched("customers/shop", { enabled: true });
    await patched(path, { enabled: null, expires: null });
    expect(await reasons("sk_shop_front", key)).toEqual([]);
    expect(await captcha.verified("sk_shop_front", key)).toEqual([200, "invalid_jwt"]);
  });

  it("POST captcha/access needs an admin key and two texts, and repeats no key", async () => {
    expect((await asked("sk_shop_front", key, { key: VIEWER_KEY })).status).toBe(401);
    for (const [siteKey, apiKey] of [
      ["", key],
      [7, key],
      ["sk_shop_front", "x".repeat(257)],
    ] as const) {
      const { status, text } = await asked(siteKey, apiKey);
      expect(status).toBe(400);
      expect(text).not.toContain(key.slice(13));
    }
    expect((await captcha.admin.call("POST", "/captcha/access", "no json")).status).toBe(400);
    expect(captcha.logged.join("")).not.toContain(key.slice(13));
  });
});
