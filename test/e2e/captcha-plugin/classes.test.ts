import { describe, expect, it } from "vitest";
import { fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { failed } from "../../support/captcha-verifier.js";
import { API_KEY, captchaHarness, SITE_KEY } from "./harness.js";
import { CLOSING, formPost, jsonPost, multipartPost, part } from "./posts.js";

describe("a protected form", () => {
  it("[C36] [C43] [A20] a form with a verified token passes, and the service gets key, token and address", async () => {
    const { client, verifier, upstream } = await captchaHarness();
    const browser = await client();
    await browser.send(formPost({ name: "Ann", "captcha-token": "aaa.bbb.ccc", note: "x y" }));
    expect((await browser.response("POST")).status).toBe(200);
    const [call] = verifier.calls;
    expect(call).toMatchObject({ method: "GET", path: `/${SITE_KEY}/verify` });
    expect(call?.query).toMatchObject({ jwt: "aaa.bbb.ccc", ip: "127.0.0.1" });
    expect(call?.query["idempotency_key"]).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(call?.headers["x-api-key"]).toBe(API_KEY);
    // Headers of browsers, which the service rejects (captcha reference 5.4).
    expect(Object.keys(call?.headers ?? {})).not.toContain("sec-fetch-site");
    expect(Object.keys(call?.headers ?? {})).not.toContain("origin");
    const [request] = upstream.requests;
    expect(request?.body).toBe("name=Ann&note=x+y");
    expect(fieldValues(request?.headers ?? [], "content-length")).toEqual(["17"]);
    expect(fieldValues(request?.headers ?? [], "x-captcha-result")).toEqual(["verified"]);
  });

  it("[C36] a form without a token, or with an empty one, is rejected without a call of the service", async () => {
    const { client, verifier, upstream } = await captchaHarness();
    const browser = await client();
    for (const fields of [{ name: "Ann" }, { name: "Ann", "captcha-token": "" }] as Record<
      string,
      string
    >[]) {
      await browser.send(formPost(fields));
      const { status, body } = await browser.response("POST");
      expect(status).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ error: "captcha_required" });
    }
    expect(verifier.calls).toEqual([]);
    expect(upstream.requests).toEqual([]);
  });

  it("[C38] [C60] a form with a used token is rejected, and one with a new token passes", async () => {
    const { client, upstream } = await captchaHarness();
    const browser = await client();
    const statuses: number[] = [];
    for (const token of ["one.a.b", "one.a.b", "two.a.b"]) {
      await browser.send(formPost({ "captcha-token": token }));
      const { status, body } = await browser.response("POST");
      statuses.push(status);
      if (status === 403) expect(JSON.parse(body)).toMatchObject({ error: "captcha_invalid" });
    }
    expect(statuses).toEqual([200, 403, 200]);
    expect(upstream.requests).toHaveLength(2);
  });

  it("the token of a multipart form is verified, and its part is cut out", async () => {
    const { client, verifier, upstream } = await captchaHarness();
    const browser = await client();
    const before = part("name", "Ann");
    const after = `${part("file", "\r\n--not-it\0\xff", '; filename="a.bin"')}${CLOSING}`;
    await browser.send(multipartPost(`${before}${part("captcha-token", "aa.bb.cc")}${after}`));
    expect((await browser.response("POST")).status).toBe(200);
    expect(verifier.calls[0]?.query["jwt"]).toBe("aa.bb.cc");
    expect(upstream.requests[0]?.body).toBe(before + after);
  });

  it("the token of a JSON body is verified, and the rest stays byte by byte", async () => {
    const { client, verifier, upstream } = await captchaHarness();
    const browser = await client();
    await browser.send(jsonPost('{"n": 12345678901234567890, "captcha-token": "aa.bb.cc" , "é":1e400 }'));
    expect((await browser.response("POST")).status).toBe(200);
    expect(verifier.calls[0]?.query["jwt"]).toBe("aa.bb.cc");
    expect(Buffer.from(upstream.requests[0]?.body ?? "", "latin1").toString()).toBe(
      '{"n": 12345678901234567890,  "é":1e400 }',
    );
  });
});

describe("verdicts of the service", () => {
  it.each([
    ["missing_required_params", 400],
    ["invalid_jwt_request_id", 200],
    ["invalid_jwt_site_key", 200],
    ["path_mismatch", 200],
    ["invalid_api_key", 401],
    ["forbidden_site_key", 403],
    ["too_many", 429],
  ])("[C61] the verdict %s rejects the form with a report, also with fail-open", async (error, status) => {
    const { client, verifier, upstream, reports } = await captchaHarness({
      settings: { policy: "fail-open" },
    });
    verifier.script = () => failed(error, status);
    const browser = await client();
    await browser.send(formPost({ "captcha-token": "aa.bb.cc" }));
    const response = await browser.response("POST");
    expect(response.status).toBe(403);
    expect(JSON.parse(response.body)).toMatchObject({ error: "captcha_misconfigured" });
    expect(upstream.requests).toEqual([]);
    expect(reports).toMatchObject([{ event: "captcha_misconfigured", fields: { route: "r", status } }]);
    expect(JSON.stringify(reports)).not.toContain("aa.bb.cc");
    expect(JSON.stringify(reports)).not.toContain(API_KEY);
    expect(verifier.calls).toHaveLength(1);
  });
});

describe("the visitor's address", () => {
  const forwarded = "X-Forwarded-For: 198.51.100.9, 203.0.113.7\r\n";

  it("the verified address is the peer's when the peer is not trusted", async () => {
    const { client, verifier } = await captchaHarness();
    const browser = await client("127.0.0.5");
    await browser.send(formPost({ "captcha-token": "aa.bb.cc" }, forwarded));
    await browser.response("POST");
    expect(verifier.calls[0]?.query["ip"]).toBe("127.0.0.5");
  });

  it("the verified address is the one that a trusted proxy names", async () => {
    const admission = { trusts: (peer: string) => peer === "127.0.0.5" };
    const { client, verifier } = await captchaHarness({ server: { admission: () => admission } });
    const browser = await client("127.0.0.5");
    await browser.send(formPost({ "captcha-token": "aa.bb.cc" }, forwarded));
    await browser.response("POST");
    expect(verifier.calls[0]?.query["ip"]).toBe("203.0.113.7");
  });

  it("send_ip: false sends no address", async () => {
    const { client, verifier } = await captchaHarness({ settings: { send_ip: false } });
    const browser = await client();
    await browser.send(formPost({ "captcha-token": "aa.bb.cc" }));
    await browser.response("POST");
    expect(Object.keys(verifier.calls[0]?.query ?? {})).toEqual(["jwt", "idempotency_key"]);
  });
});

describe("invalid API keys", () => {
  it.each(["", "spk_key\n", "spk key"])(
    "the API key %j is rejected when the configuration is loaded",
    async (apiKey) => {
      const service = { url: "http://127.0.0.1:9", siteKey: SITE_KEY, apiKey };
      await expect(captchaHarness({ service })).rejects.toThrow(/api_key|refers to/);
    },
  );
});
