import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newApiKey } from "../../../../plugins/captcha/service/verify/api-key.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import { CaptchaHarness, FOREIGN_SITE, SECOND_SITE, SITE } from "../../../support/verify-harness.js";

let harness: CaptchaHarness;
let clock: ManualClock;
beforeAll(async () => {
  clock = new ManualClock();
  harness = await CaptchaHarness.start({ clock });
});
afterAll(() => harness.stop());

const key = () => ({ "X-Api-Key": harness.keys.shop.key });
const valid = async (token: string) => expect((await harness.verify(token)).body.success).toBe(true);

describe("the API key", () => {
  const wrongSum = (text: string) => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");

  it("[A19] [C42] [H4] [H5] a missing API key gets 401 invalid_api_key", async () => {
    const { status, body } = await harness.ask(`/${SITE}/verify?jwt=${await harness.issue()}`);
    expect([status, body]).toEqual([
      401,
      { success: false, error: "invalid_api_key", reason: "missing_api_key" },
    ]);
  });

  it.each([
    ["[A19] with a wrong checksum", () => wrongSum(harness.keys.shop.key), "malformed_api_key"],
    ["[A19] [H32] of an administrator", () => "adm_0123456789abcdef", "malformed_api_key"],
    ["of another form", () => "secret", "malformed_api_key"],
    ["[A19] of 8 kB", () => "k".repeat(8_192), "malformed_api_key"],
    ["[A19] with an unknown id", () => newApiKey().key, "unknown_api_key"],
    ["named __proto__", () => "__proto__", "malformed_api_key"],
  ])("an API key %s gets 401", async (_name, text, reason) => {
    const { status, body } = await harness.verify(await harness.issue(), { key: text() });
    expect([status, body.error, body.reason]).toEqual([401, "invalid_api_key", reason]);
  });

  it("[A19] an API key with the right id and another secret gets the same 401 as an unknown id", async () => {
    const { id } = harness.keys.shop;
    let made = newApiKey().key;
    made = `spk_${id}${made.slice(12)}`;
    const { createHash } = await import("node:crypto");
    const beginning = made.slice(0, -7);
    const text = `${beginning}_${createHash("sha256").update(beginning).digest("hex").slice(0, 6)}`;
    const wrong = await harness.verify(await harness.issue(), { key: text });
    const unknown = await harness.verify(await harness.issue(), { key: newApiKey().key });
    expect([wrong.status, wrong.text]).toEqual([401, unknown.text]);
  });

  it("[A19] an API key in two headers gets 401", async () => {
    const token = await harness.issue();
    const { status, body } = await harness.ask(`/${SITE}/verify?jwt=${token}`, {
      headers: { "X-Api-Key": [harness.keys.shop.key, harness.keys.shop.key] },
    });
    expect([status, body.error]).toEqual([401, "invalid_api_key"]);
    await valid(token);
  });

  it.each(["api_key", "apikey", "X-Api-Key", "x_api_key", "secret"])(
    "[A19] an API key in the query as %s is rejected with a message, even beside the header",
    async (name) => {
      const token = await harness.issue();
      const target = `/${SITE}/verify?jwt=${token}&${name}=${harness.keys.shop.key}`;
      const { status, body, text } = await harness.ask(target, { headers: key() });
      expect([status, body.error, body.reason]).toEqual([401, "invalid_api_key", "api_key_misplaced"]);
      expect(body.message).toMatch(/X-Api-Key/);
      expect(text).not.toContain(harness.keys.shop.key);
      await valid(token);
    },
  );

  it("[A19] an API key under any other name of the query is recognised by its form", async () => {
    const target = `/${SITE}/verify?jwt=${await harness.issue()}&k=${harness.keys.shop.key}`;
    expect((await harness.ask(target, { headers: key() })).body.reason).toBe("api_key_misplaced");
  });

  it("[A19] an expired, a disabled and a removed API key get 401", async () => {
    const { id } = harness.keys.other;
    const token = await harness.issue({ site_key: FOREIGN_SITE });
    const before = harness.configuration;
    const record = before.apiKeys.get(id);
    if (record === undefined) throw new Error("no key");
    const ask = async (change: Partial<typeof record> | undefined) => {
      const apiKeys = new Map(before.apiKeys);
      if (change === undefined) apiKeys.delete(id);
      else apiKeys.set(id, { ...record, ...change });
      harness.configuration = { ...before, apiKeys };
      return await harness.verify(token, { site: FOREIGN_SITE, key: harness.keys.other.key });
    };
    const now = Math.floor(clock.now() / 1_000);
    expect((await ask({ expires: now })).body.reason).toBe("expired_api_key");
    expect((await ask({ enabled: false })).status).toBe(401);
    expect((await ask(undefined)).status).toBe(401);
    expect((await ask({ expires: now + 60 })).body.success).toBe(true);
    harness.configuration = before;
  });

  it("an API key of a disabled customer gets 401", async () => {
    const before = harness.configuration;
    const customers = new Map(before.customers).set("shop", { id: "shop", enabled: false });
    harness.configuration = { ...before, customers };
    expect((await harness.verify(await harness.issue())).status).toBe(401);
    harness.configuration = before;
  });

  it("[H32] an admin key is reported without its text", async () => {
    const text = "adm_0123456789abcdef";
    await harness.verify(await harness.issue(), { key: text });
    expect(harness.reports.map(({ event }) => event)).toContain("captcha_admin_key_on_verify");
    expect(JSON.stringify(harness.reports)).not.toContain(text);
  });

  it("[H4] too many wrong API keys get 429 with Retry-After, and a right key still passes", async () => {
    clock.advance(3_600_000);
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) statuses.push((await harness.verify("x", { key: newApiKey().key })).status);
    expect(statuses.slice(0, 30)).toEqual(new Array(30).fill(401));
    expect(statuses.slice(31)).toEqual(new Array(9).fill(429));
    const refused = await harness.verify("x", { key: newApiKey().key });
    expect(refused.headers["retry-after"]).toBe("60");
    expect(refused.body.success).toBe(false);
    await valid(await harness.issue());
    clock.advance(3_600_000);
    expect((await harness.verify("x", { key: newApiKey().key })).status).toBe(401);
  });
});

describe("parameters", () => {
  const asked = async (query: string) => await harness.ask(`/${SITE}/verify${query}`, { headers: key() });

  it.each([
    ["[A17] [C43] [C51] no query", "", "missing_jwt"],
    ["[A17] [C51] jwt absent", "?ip=203.0.113.1", "missing_jwt"],
    ["[A17] jwt empty", "?jwt=", "missing_jwt"],
    ["jwt without a sign", "?jwt", "missing_jwt"],
    ["another spelling", "?JWT=a.b.c", "missing_jwt"],
    ["[A17] [H27] jwt twice", "?jwt=a.b.c&jwt=a.b.c", "duplicate_param"],
    ["[H27] jwt once empty, once not", "?jwt=&jwt=a.b.c", "duplicate_param"],
    ["[H27] jwt twice, one spelled with an escape", "?jwt=a.b.c&%6Awt=a.b.c", "duplicate_param"],
    ["[A17] [H27] array syntax", "?jwt[]=a.b.c", "duplicate_param"],
    ["[A17] [H27] array syntax with an index", "?jwt[0]=a.b.c", "duplicate_param"],
    ["[H27] array syntax, escaped", "?jwt%5B%5D=a.b.c", "duplicate_param"],
    ["[A18] ip twice", "?jwt=a.b.c&ip=203.0.113.1&ip=203.0.113.2", "duplicate_param"],
    ["[A18] [H28] ip garbage", "?jwt=a.b.c&ip=garbage", "invalid_ip"],
    ["[A18] ip with a port", "?jwt=a.b.c&ip=203.0.113.1:80", "invalid_ip"],
    ["ip in brackets", "?jwt=a.b.c&ip=[2001:db8::1]", "invalid_ip"],
    ["ip with a zone", "?jwt=a.b.c&ip=fe80::1%25eth0", "invalid_ip"],
    ["ip with leading zeros", "?jwt=a.b.c&ip=203.0.113.001", "invalid_ip"],
    ["ip as a number", "?jwt=a.b.c&ip=3405803777", "invalid_ip"],
    ["ip with a prefix", "?jwt=a.b.c&ip=203.0.113.0/24", "invalid_ip"],
    ["two addresses in ip", "?jwt=a.b.c&ip=203.0.113.1,203.0.113.2", "invalid_ip"],
    [
      "idempotency_key of 65 characters",
      `?jwt=a.b.c&idempotency_key=${"k".repeat(65)}`,
      "invalid_idempotency_key",
    ],
    ["idempotency_key with a control", "?jwt=a.b.c&idempotency_key=a%0Ab", "invalid_idempotency_key"],
  ])("a query with %s gets 400 missing_required_params", async (_name, query, reason) => {
    const { status, body } = await asked(query);
    expect([status, body.success, body.error, body.reason]).toEqual([
      400,
      false,
      "missing_required_params",
      reason,
    ]);
  });

  it("[A17] a token of 2049 characters gets 414, and one of 2048 is examined", async () => {
    expect((await asked(`?jwt=${"a".repeat(2_049)}`)).status).toBe(414);
    expect((await asked(`?jwt=${"a".repeat(2_048)}`)).body.reason).toBe("malformed");
  });

  it("[H4] a URL above 4 kB gets 414 in the form of the endpoint", async () => {
    const { status, body } = await asked(`?jwt=a.b.c&x=${"y".repeat(4_100)}`);
    expect([status, body.success]).toEqual([414, false]);
  });

  it("[C44] [H28] [A18] an empty ip passes like an absent one", async () => {
    expect((await harness.verify(await harness.issue(), { query: "ip=" })).body.success).toBe(true);
    expect((await harness.verify(await harness.issue())).body.success).toBe(true);
  });

  it("unknown parameters are ignored", async () => {
    expect(
      (await harness.verify(await harness.issue(), { query: "a=1&a=2&__proto__=x&remoteip=1" })).body.success,
    ).toBe(true);
  });

  it.each([
    ["a form", "application/x-www-form-urlencoded", (jwt: string) => `jwt=${jwt}&ip=`],
    [
      "a form with a charset",
      "application/x-www-form-urlencoded; charset=UTF-8",
      (jwt: string) => `jwt=${jwt}`,
    ],
    ["JSON", "application/json", (jwt: string) => JSON.stringify({ jwt, ip: null })],
  ])("POST takes the same parameters as %s", async (_name, type, body) => {
    const token = await harness.issue();
    const answer = await harness.ask(`/${SITE}/verify`, {
      method: "POST",
      headers: { ...key(), "Content-Type": type },
      body: body(token),
    });
    expect([answer.status, answer.body.success]).toEqual([200, true]);
  });

  it.each([
    ["an array as jwt", "application/json", `{"jwt":["a.b.c"]}`, "duplicate_param"],
    ["a number as jwt", "application/json", `{"jwt":7}`, "invalid_body"],
    ["an array", "application/json", `[]`, "invalid_body"],
    ["null", "application/json", `null`, "invalid_body"],
    ["broken JSON", "application/json", `{"jwt":`, "invalid_body"],
    ["nothing but depth", "application/json", "[".repeat(10_000), "invalid_body"],
    ["another type", "text/plain", "jwt=a.b.c", "invalid_body"],
    [
      "a name in query and body",
      "application/x-www-form-urlencoded",
      "jwt=a.b.c&jwt=a.b.c",
      "duplicate_param",
    ],
    ["a key in the body", "application/json", `{"jwt":"a.b.c","secret":"x"}`, "api_key_misplaced"],
  ])("a POST with %s is rejected", async (_name, type, body, reason) => {
    const answer = await harness.ask(`/${SITE}/verify`, {
      method: "POST",
      headers: { ...key(), "Content-Type": type },
      body,
    });
    expect([answer.body.success, answer.body.reason]).toEqual([false, reason]);
    expect(answer.status).toBe(reason === "api_key_misplaced" ? 401 : 400);
  });

  it("a POST with one name in the query and again in the body is rejected", async () => {
    const answer = await harness.ask(`/${SITE}/verify?jwt=a.b.c`, {
      method: "POST",
      headers: { ...key(), "Content-Type": "application/json" },
      body: `{"jwt":"a.b.c"}`,
    });
    expect(answer.body.reason).toBe("duplicate_param");
  });

  it("[A29] responses repeat nothing of the request", async () => {
    const marks = ["zqxjk", "%3Cscript%3E"];
    for (const query of [
      `?jwt=zqxjk`,
      `?jwt=a.b.c&ip=zqxjk`,
      `?zqxjk=1`,
      `?jwt=a.b.c&idempotency_key=zqxjk%00`,
    ]) {
      for (const path of [SITE, "zqxjk-zqxjk", "%3Cscript%3E"]) {
        const { text } = await harness.ask(`/${path}/verify${query}`, { headers: { "X-Api-Key": "zqxjk" } });
        const known = await harness.ask(`/${path}/verify${query}`, { headers: key() });
        for (const mark of marks) {
          expect(text).not.toContain(mark);
          expect(known.text).not.toContain(mark);
        }
      }
    }
  });
});

describe("methods and browsers", () => {
  it.each(["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"])(
    "[A20] [H4] the method %s gets 405 and does not use the token up",
    async (method) => {
      const token = await harness.issue();
      const answer = await harness.ask(`/${SITE}/verify?jwt=${token}`, { method, headers: key() });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe("GET, POST");
      if (method !== "HEAD") expect(answer.body.success).toBe(false);
      else expect(answer.text).toBe("");
      await valid(token);
    },
  );

  it.each([
    ["Sec-Purpose: prefetch", { "Sec-Purpose": "prefetch;prerender" }],
    ["Purpose: prefetch", { Purpose: "prefetch" }],
    ["X-Moz: prefetch", { "X-Moz": "prefetch" }],
    ["Origin", { Origin: "https://shop.example" }],
    ["Sec-Fetch-Site", { "Sec-Fetch-Site": "cross-site" }],
  ])("[A20] a browser's request with %s gets 403 and does not use the token up", async (_name, headers) => {
    const token = await harness.issue();
    const answer = await harness.ask(`/${SITE}/verify?jwt=${token}`, {
      headers: { ...key(), ...(headers as Record<string, string>) },
    });
    expect([answer.status, answer.body.success, answer.body.reason]).toEqual([403, false, "browser_request"]);
    await valid(token);
  });

  it("[A20] [A78] failures have no CORS header and are JSON with no-store and nosniff", async () => {
    const targets = [`/${SITE}/verify`, `/${SITE}/verify?jwt=a.b.c`, "/nowhere", "//verify", "/api/v1/none"];
    for (const method of ["GET", "POST", "OPTIONS", "HEAD", "PUT"]) {
      for (const target of targets) {
        const { headers, status } = await harness.ask(target, {
          method,
          headers: { ...key(), Origin: "https://evil.example", "Access-Control-Request-Method": "GET" },
        });
        expect(status).toBeGreaterThanOrEqual(400);
        expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
        expect(headers["cache-control"]).toBe("no-store");
        expect(headers["x-content-type-options"]).toBe("nosniff");
        expect(headers["content-type"]).toBe("application/json; charset=utf-8");
        expect(headers).not.toHaveProperty("server");
        expect(headers).not.toHaveProperty("set-cookie");
      }
    }
  });
});

describe("the path", () => {
  it("[A4] [C58] [C50] the path of another site key of the customer is path_mismatch, and the token is still good", async () => {
    const token = await harness.issue();
    const { status, body } = await harness.verify(token, { site: SECOND_SITE });
    expect([status, body]).toEqual([200, { success: false, error: "path_mismatch" }]);
    await valid(token);
  });

  it.each([
    ["a prefix of the claim", SITE.slice(0, -1)],
    ["the claim and more", `${SITE}x`],
    ["another case", SITE.toUpperCase()],
    ["a percent escape", SITE.replace("s", "%73")],
    ["a trailing dot", `${SITE}.`],
    ["a trailing escape of a slash", `${SITE}%2F`],
    ["a short text", "s"],
    ["[H31] a key that nobody has", "site-key-of-nobody"],
  ])("[A5] [W3] a path that is %s is path_mismatch", async (_name, site) => {
    const token = await harness.issue();
    const { status, body } = await harness.verify(token, { site });
    expect([status, body]).toEqual([200, { success: false, error: "path_mismatch" }]);
    await valid(token);
  });

  it.each([
    `/${SITE}/verify/`,
    `/${SITE}//verify`,
    `//${SITE}/verify`,
    `/x/../${SITE}/verify`,
    `/./${SITE}/verify`,
    `/${SITE}/verify/x`,
    `/${SITE}/Verify`,
    "/captcha.js/verify",
    "/CAPTCHA.JS/verify",
    "/captcha-1.0.abc.js/verify",
    "/../verify",
    "/./verify",
    "//verify",
    "/verify",
    "/api/verify",
    "/f/verify",
    "/assets/verify",
    "/healthz/verify",
    "/readyz/verify",
    "/metrics/verify",
    "/admin/verify",
    "/.well-known/verify",
  ])("[A5] [A82] the path %s gets 404 and does not use the token up", async (path) => {
    const token = await harness.issue();
    const { status, body } = await harness.ask(`${path}?jwt=${token}`, { headers: key() });
    expect([status, body.success ?? false]).toEqual([404, false]);
    await valid(token);
  });
});

describe("the owner", () => {
  it("[A6] [H4] [H5] a key of another customer gets 403, and the token is still good", async () => {
    const token = await harness.issue();
    const { status, body } = await harness.verify(token, { key: harness.keys.other.key });
    expect([status, body.success, body.error]).toEqual([403, false, "forbidden_site_key"]);
    await valid(token);
  });

  it("[A27] a token of a site key that was disabled or removed since gets 403", async () => {
    const before = harness.configuration;
    const token = await harness.issue();
    harness.change(SITE, { enabled: false });
    const off = await harness.verify(token);
    expect([off.status, off.body.error]).toEqual([403, "forbidden_site_key"]);
    const siteKeys = new Map(before.siteKeys);
    siteKeys.delete(SITE);
    harness.configuration = { ...before, siteKeys };
    expect((await harness.verify(token)).status).toBe(403);
    harness.configuration = before;
    await valid(token);
  });

  it("[A27] a hostname that was removed after the issue is rejected; a subdomain of a listed one is not", async () => {
    const token = await harness.issue();
    harness.change(SITE, { hostnames: ["other.example"] });
    const { body } = await harness.verify(token);
    expect(body).toEqual({ success: false, error: "invalid_jwt", reason: "hostname_mismatch" });
    harness.change(SITE, { hostnames: ["shop.example"] });
    await valid(token);
    await valid(await harness.issue({ hostname: "www.shop.example" }));
    for (const hostname of ["notshop.example", "shop.example.evil.example", ""])
      expect((await harness.verify(await harness.issue({ hostname }))).body.reason).toBe("hostname_mismatch");
  });
});
