import { describe, expect, it } from "vitest";
import { isReservedPath, isReservedSiteKey, SITE_KEY } from "../../../../plugins/captcha/captcha-table.js";
import { apiKeyDigest, apiKeyParts, newApiKey } from "../../../../plugins/captcha/service/verify/api-key.js";

describe("an API key", () => {
  it("an API key has the form that scanners look for, and an id that selects its record", () => {
    const { id, key } = newApiKey();
    expect(key).toMatch(/^spk_[a-z2-9]{8}_[\w-]{43}_[0-9a-f]{6}$/);
    expect(apiKeyParts(key)).toEqual({ id });
    expect(newApiKey().key).not.toBe(key);
  });

  it("an API key with any character changed is none", () => {
    const { key } = newApiKey();
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === "a" ? "b" : "a";
      expect(apiKeyParts(key.slice(0, i) + other + key.slice(i + 1))).toBeUndefined();
    }
    for (const text of ["", "spk_", ` ${key}`, `${key}\n`, `${key}0`])
      expect(apiKeyParts(text)).toBeUndefined();
  });

  it("the digest of an API key is a keyed hash", () => {
    const { key } = newApiKey();
    const digest = apiKeyDigest(Buffer.alloc(32, 1), key);
    expect(digest).toMatch(/^[\w-]{43}$/);
    expect(apiKeyDigest(Buffer.alloc(32, 1), key)).toBe(digest);
    expect(apiKeyDigest(Buffer.alloc(32, 2), key)).not.toBe(digest);
  });
});

describe("[H30] a site key", () => {
  it.each(["abcdefgh", "a_-B0123", "x".repeat(64)])("a site key may be %s", (text) => {
    expect(SITE_KEY.test(text) && !isReservedSiteKey(text)).toBe(true);
  });

  it.each(["short", "x".repeat(65), "with.dots", "with/slash", "with blank", "ключключ", "abcdefgh\n"])(
    "a site key may not be %j",
    (text) => expect(SITE_KEY.test(text)).toBe(false),
  );

  it.each([
    ...["captcha.js", "captcha-1.2.abc.js", "CAPTCHA-x.JS", "api", "f", "assets", "healthz", "readyz"],
    ...["metrics", "admin", ".well-known"],
  ])("[A81] a site key may never be %s", (text) => {
    expect(isReservedPath(text) && isReservedSiteKey(text)).toBe(true);
  });

  it("a site key may not begin like a test key", () => {
    expect(isReservedSiteKey("sp-test-pass")).toBe(true);
    expect(isReservedSiteKey("SP-TEST-anything")).toBe(true);
  });
});
