import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { plainSiteKey } from "../../../support/captcha-site-key.js";
import type { CaptchaHarness } from "../../../support/verify-harness.js";

/** Recorded calls, in their order; the functions work as usual. */
const calls = vi.hoisted(() => [] as string[]);
vi.mock("node:crypto", async (load) => {
  const crypto = await load<typeof import("node:crypto")>();
  const timingSafeEqual = (a: Buffer, b: Buffer) => {
    calls.push(`compare ${a.length} ${b.length}`);
    return crypto.timingSafeEqual(a, b);
  };
  const createHmac = (name: string, key: Buffer) => {
    calls.push(`hmac ${name} ${key.length}`);
    return crypto.createHmac(name, key);
  };
  return { ...crypto, timingSafeEqual, createHmac, default: crypto };
});

let harness: CaptchaHarness;
let newApiKey: typeof import("../../../../plugins/captcha/service/verify/api-key.js").newApiKey;
beforeAll(async () => {
  const support = await import("../../../support/verify-harness.js");
  ({ newApiKey } = await import("../../../../plugins/captcha/service/verify/api-key.js"));
  harness = await support.CaptchaHarness.start({ siteKeys: [plainSiteKey(support.SITE, "shop")] });
});
afterAll(() => harness.stop());
beforeEach(() => void calls.splice(0));

/** Operations on secrets before the rates count the failure. */
const authentication = () => calls.slice(0, 2);

/** An API key with the id of a real one and another secret. */
async function wrongSecret(): Promise<string> {
  const { createHash } = await import("node:crypto");
  const beginning = `spk_${harness.keys.shop.id}${newApiKey().key.slice(12, -7)}`;
  return `${beginning}_${createHash("sha256").update(beginning).digest("hex").slice(0, 6)}`;
}

describe("an API key", () => {
  it("[A19] [W9] an unknown id costs the same HMAC and the same constant-time comparison as a wrong secret", async () => {
    await harness.verify("x", { key: newApiKey().key });
    const unknown = authentication();
    calls.splice(0);
    await harness.verify("x", { key: await wrongSecret() });
    expect(authentication()).toEqual(unknown);
    calls.splice(0);
    await harness.verify("x");
    expect(authentication()).toEqual(unknown);
    expect(unknown).toEqual(["hmac sha256 32", "compare 32 32"]);
  });

  it("[W3] an API key is looked up by one fast keyed hash, without scrypt or PBKDF2", async () => {
    await harness.verify("x", { key: newApiKey().key });
    expect(calls.filter((call) => call.startsWith("hmac"))[0]).toBe("hmac sha256 32");
    expect(calls.some((call) => /scrypt|pbkdf/.test(call))).toBe(false);
  });
});

describe("an address binding", () => {
  it("[W9] [W5] an address binding is compared whole and in constant time", async () => {
    const { parseAddress } = await import("../../../../plugins/captcha/service/http/address.js");
    const client = parseAddress("203.0.113.7");
    if (client === undefined) throw new Error("no address");
    const token = await harness.issue(harness.binding(client));
    calls.splice(0);
    await harness.verify(token, { query: "ip=198.51.100.1" });
    expect(calls.filter((call) => call === "compare 32 32")).toHaveLength(2);
  });
});
