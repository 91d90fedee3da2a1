import { describe, expect, it } from "vitest";
import { fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { captchaHarness } from "./harness.js";
import { CLOSING, formPost, MULTIPART, multipartPost, part, post } from "./posts.js";

const OK = formPost({ "captcha-token": "aa.bb.cc" });

describe("who would get past a protected form", () => {
  it.each(["post", "Post", "pUT", "patch", "delete"])(
    "needs a token for the method %s too, which some applications take for its upper-case form",
    async (method) => {
      const { client, upstream } = await captchaHarness();
      const script = await client();
      await script.send(formPost({ name: "Ann" }).replace("POST", method));
      expect((await script.response("POST")).status).toBe(403);
      expect(upstream.requests).toEqual([]);
    },
  );

  it("cannot say what the gateway says, in no spelling that an application reads as the same name", async () => {
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

  it("cannot have the gateway's word taken away as a field of the connection", async () => {
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
  ])("is refused with a Content-Type that readers read differently: %s", async (contentType) => {
    const { client, verifier, upstream } = await captchaHarness();
    const script = await client();
    await script.send(post(contentType, `${part("captcha-token", "aa.bb.cc")}${CLOSING}`));
    const { status } = await script.response("POST");
    // One parameter whose quotes hold a boundary is read alike by all who read quotes.
    if (contentType.includes('"')) expect(status).toBe(200);
    else {
      expect(status).toBe(403);
      expect(verifier.calls).toEqual([]);
      expect(upstream.requests).toEqual([]);
    }
  });
});

describe("a form with two widgets", () => {
  it("passes as multipart when only the second one was solved, as it does urlencoded", async () => {
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
