import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tick, tokenFrom } from "../../support/captcha-visitor.js";
import { exchange } from "../control/admin.js";
import { CaptchaGateway, SITE_KEY, siteKey } from "./captcha-gateway.js";

let captcha: CaptchaGateway;
/** Prices without refill within the test, except for tasks: one in half a minute, slower than any ticks. */
const PRICE = {
  ...{ free_burst: 3, free_hourly: 0, work_burst: 4, work_hourly: 0 },
  ...{ task_burst: 4, task_hourly: 120, part_share: 100 },
};
const SECRET = "a secret of those who pay";
beforeAll(async () => {
  captcha = await CaptchaGateway.start({
    secret: SECRET,
    price: PRICE,
    trusted_addresses: ["127.0.0.1"],
  });
  await captcha.gateway.admin("PUT", "/captcha/site-keys/sk_adaptive", {
    ...siteKey(),
    // No score is above it: any task is for the price.
    ...{ challenge_mode: "adaptive", threshold: 1 },
  });
});
afterAll(() => captcha.end());

/** A visitor with an address that a trusted proxy sends, with a browser. */
const from = (address: string) => ({ headers: { "X-Forwarded-For": address }, secret: SECRET });
const backend = (method: string, path: string, body?: string) =>
  exchange(captcha.port, method, path, body, {
    "X-Api-Key": captcha.apiKey,
    ...(body === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
  });
const howOf = async (token: string, key = SITE_KEY) => {
  const { json } = await backend("GET", `/${key}/verify?jwt=${token}&details=true`);
  return (json["details"] as { how?: string } | undefined)?.how;
};

describe("the price of a token, through the gateway's own captcha", () => {
  it("[H37] [H39] the price rises from nothing over work to a task, and the verification reports it", async () => {
    const here = from("192.0.2.1");
    const outcomes = [];
    for (let i = 0; i < 8; i++) {
      const answer = await tick(captcha.url, "sk_adaptive", here);
      outcomes.push(answer.outcome === "token" ? await howOf(answer.token, "sk_adaptive") : answer.outcome);
    }
    expect(outcomes).toEqual(["none", "none", "none", "work", "work", "work", "work", "task"]);
    const elsewhere = await tokenFrom(captcha.url, "sk_adaptive", from("198.51.100.1"));
    const { json } = await backend("GET", `/sk_adaptive/verify?jwt=${elsewhere}&details=true`);
    expect(json).toMatchObject({
      success: true,
      details: { how: "none", level: 0, reasons: expect.any(Array), under_attack: false },
    });
  });

  it("[H37] an exhausted network has to wait for Retry-After, and other networks do not", async () => {
    const begin = (address: string) =>
      exchange(
        captcha.port,
        "POST",
        "/api/v1/session",
        JSON.stringify({ site_key: SITE_KEY, origin: "http://localhost" }),
        { ...from(address).headers, "Content-Type": "application/json", Origin: captcha.url },
      );
    let tokens = 0;
    let answer = await begin("192.0.3.1");
    while (answer.status === 200 && tokens < 40) {
      await tokenFrom(captcha.url, SITE_KEY, from("192.0.3.1"));
      tokens++;
      answer = await begin("192.0.3.200");
    }
    // Three, four and four tokens, and one for each half minute of the test.
    expect(tokens).toBeGreaterThanOrEqual(11);
    expect(tokens).toBeLessThan(20);
    expect(answer).toMatchObject({ status: 429, json: { error: "rate_limited", retryable: true } });
    const seconds = Number(answer.headers["retry-after"]);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(30);
    expect((await begin("192.0.33.1")).status).toBe(200);
  });

  it("[H40] a report of fraud raises the price, and is accepted once", async () => {
    const here = from("192.0.4.1");
    const token = await tokenFrom(captcha.url, SITE_KEY, here);
    const report = () => backend("POST", `/${SITE_KEY}/feedback`, `jwt=${token}&verdict=fraud`);
    expect(await report()).toMatchObject({ status: 200, json: { success: true, site_key: SITE_KEY } });
    expect(await report()).toMatchObject({
      status: 200,
      json: { success: false, reason: "already_reported" },
    });
    expect((await tick(captcha.url, "sk_adaptive", here)).outcome).toBe("task");
    const { json } = await captcha.gateway.admin("GET", "/captcha/stats?format=json");
    expect(json["under_attack"]).toEqual({});
  });
});
