import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tokenFrom } from "../../support/captcha-visitor.js";
import { type HttpUpstream, httpUpstream } from "../../support/http-upstream.js";
import { CaptchaGateway, SITE_KEY } from "../captcha/captcha-gateway.js";
import { exchange } from "../control/admin.js";

let captcha: CaptchaGateway;
let upstream: HttpUpstream;
beforeEach(async () => {
  upstream = await httpUpstream();
  captcha = await CaptchaGateway.start();
  for (const policy of ["fail-closed", "fail-open"]) {
    const settings = {
      ...{ captcha_url: captcha.url, site_key: SITE_KEY, api_key: captcha.apiKey, policy },
      // Few failures, so that the circuit breaker stays closed.
      ...{ timeout: 5_000, retries: 0 },
    };
    const route = { uri: `/${policy}`, upstream: { nodes: upstream.nodes }, plugins: { captcha: settings } };
    expect((await captcha.gateway.admin("PUT", `/routes/${policy}`, route)).status).toBe(201);
  }
});
afterEach(async () => {
  await captcha.end();
  upstream.close();
});

async function post(policy: string, token: string): Promise<number> {
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = `name=Ann&captcha-token=${token}`;
  return (await exchange(captcha.gateway.port, "POST", `/${policy}`, body, type)).status;
}

describe("workers and the captcha's process", () => {
  it("[C62] [C63] [C64] workers follow the policy of a route while the captcha is stopped, and verify again afterwards", async () => {
    const url = captcha.url;
    expect(await post("fail-closed", await tokenFrom(url, SITE_KEY))).toBe(200);
    const unused = await tokenFrom(url, SITE_KEY);
    process.kill(captcha.gateway.child("captcha"), "SIGSTOP");
    // The listener of the stopped process accepts calls without a response until the launcher replaces the
    // process.
    expect(await post("fail-closed", unused)).toBe(503);
    expect(await post("fail-open", unused)).toBe(200);
    expect((await exchange(captcha.gateway.port, "GET", "/fail-closed")).status).toBe(200);
    await expect
      .poll(async () => post("fail-closed", await tokenFrom(url, SITE_KEY).catch(() => "none")), {
        interval: 500,
      })
      .toBe(200);
    const log = `${captcha.gateway.errors}${captcha.gateway.output}`;
    expect(log).not.toContain(unused);
    expect(log).not.toContain(captcha.apiKey);
  });
});
