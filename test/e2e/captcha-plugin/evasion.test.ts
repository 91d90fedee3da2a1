import { describe, expect, it } from "vitest";
import { fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { captchaHarness } from "./harness.js";
import { CLOSING, formPost, MULTIPART, multipartPost, part, post } from "./posts.js";

const OK = formPost({ "captcha-token": "aa.bb.cc" });

describe("evasion of a protected form", () => {
  it.each(["post", "Post", "pUT", "patch", "delete"])(
    "the method %s needs a token too, because some applications read it as upper case",
    async (method) => {
      const { client, upstream } = await captchaHarness();
      const script = await client();
      await script.send(formPost({ name: "Ann" }).replace("POST", method));
      expect((await script.response("POST")).status).toBe(403);
      expect(upstream.requests).toEqual([]);
    },
  );

  it("a client cannot forge the gateway's headers in any spelling that applications read as the same name", async () => {
    const { client, upstream } = await captchaHarness();
    const script = await client();
    const spellings = ["X-Captcha-Result", "X_Captcha_Result", "x-captcha_result", "X.Captcha.Request-Id"];
    const forged = spellings.map((name) => `${name}: forged\r\n`).join("");
    await script.send(OK.replace("\r\n\r\n", `\r\n${forged}\r\n`));
    expect((await script.response("POST")).status).toBe(200);
    await script.send(`GET / HTTP/1.1\r\nHost: shop.test\r\n${forged}\r\n`);
    expect((await script.response("GET")).status).toBe(200);
    for (const { headers } of upstream.requests) expect(JSON.stringify(headers)).not.toContain("forged");
    expect(fieldValues(upstream.requests[0]?.headers ?? [], "x-captcha-result")).toEqual(["verified"]);
  });

  it("a client cannot remove the gateway's header by naming it in Connection", async () => {
    const { client, upstream } = await captchaHarness();
    const script = await client();
    await script.send(OK.replace("\r\n\r\n", "\r\nConnection: X-Captcha-Result, keep-alive\r\n\r\n"));
    expect((await script.response("POST")).status).toBe(200);
    expect(fieldValues(upstream.requests[0]?.headers ?? [], "x-captcha-result")).toEqual(["verified"]);
  });

  it.each([
    `${MULTIPART}; boundary=other`,
    `${MULTIPART.replace("boundary", 'x="; boundary=other"; boundary')}`,
    `${MULTIPART.replace("boundary", "x=y z; boundary")}`,
    `${MULTIPART.replace("boundary=", "boundary*=utf-8''x; boundary=")}`,
  ])(
    "the ambiguous Content-Type %s is rejected, unless a quoted parameter contains the boundary",
    async (contentType) => {
      const { client, verifier, upstream } = await captchaHarness();
      const script = await client();
      await script.send(post(contentType, `${part("captcha-token", "aa.bb.cc")}${CLOSING}`));
      const { status } = await script.response("POST");
      // All readers of quotes agree on one parameter whose quotes contain a boundary.
      if (contentType.includes('"')) expect(status).toBe(200);
      else {
        expect(status).toBe(403);
        expect(verifier.calls).toEqual([]);
        expect(upstream.requests).toEqual([]);
      }
    },
  );
});

describe("a form with two widgets", () => {
  it("a multipart form with two widgets passes when only the second one was solved", async () => {
    const { client, verifier, upstream } = await captchaHarness();
    const browser = await client();
    const name = part("name", "Ann");
    const two = `${part("captcha-token", "")}${name}${part("captcha-token", "aa.bb.cc")}`;
    await browser.send(multipartPost(`${two}${CLOSING}`));
    expect((await browser.response("POST")).status).toBe(200);
    expect(verifier.calls[0]?.query["jwt"]).toBe("aa.bb.cc");
    expect(upstream.requests[0]?.body).toBe(`${name}${CLOSING}`);
  });
});
