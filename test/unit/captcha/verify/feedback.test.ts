import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../plugins/captcha/service/http/address.js";
import { sealWinning } from "../../../../plugins/captcha/service/token/winning.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import { captchaPrices } from "../../../support/captcha-limits.js";
import {
  type Ask,
  CaptchaHarness,
  FOREIGN_SITE,
  SECOND_SITE,
  SITE,
} from "../../../support/verify-harness.js";

const clock = new ManualClock();
let harness: CaptchaHarness;
beforeAll(async () => {
  const price = captchaPrices({ free: { burst: 20, hourly: 40 }, work: { burst: 60, hourly: 120 } });
  harness = await CaptchaHarness.start({ clock, settings: { price } });
});
afterAll(() => harness.stop());
beforeEach(() => clock.advance(3 * 3_600_000));

const visitor = parseAddress("203.0.113.7") ?? { text: "", family: 4, prefix: "" };

/** A token that was sold to the visitor's network. */
async function sold(ttlMs = 300_000): Promise<string> {
  const claims = harness.claims();
  const { networks } = harness.prices.sell(visitor, SITE);
  const won = { how: "none" as const, level: 0, reasons: [], attack: 0, networks };
  const sealed = sealWinning(won, claims.request_id, harness.configuration.secrets["key-ring"]);
  return await harness.tokens.issue({ ...claims, won: sealed }, ttlMs);
}

const form = { "Content-Type": "application/x-www-form-urlencoded" };
const tell = (body: string, { site = SITE, key = harness.keys.shop.key, more = {} as Ask } = {}) =>
  harness.ask(`/${site}/feedback`, { method: "POST", headers: { ...form, "X-Api-Key": key }, body, ...more });
const stage = () => harness.prices.quote(visitor, SITE).stage;

describe("a report of a backend", () => {
  it("[H40] a report of fraud raises the price of the network and does not use the token up", async () => {
    const token = await sold();
    expect(stage()).toBe("free");
    const { status, body } = await tell(`jwt=${token}&verdict=fraud`);
    expect([status, body]).toEqual([
      200,
      { success: true, request_id: expect.stringMatching(/^req_/), site_key: SITE },
    ]);
    expect(stage()).toBe("work");
    expect((await harness.verify(token)).body["success"]).toBe(true);
  });

  it("[H40] a report of a good customer lowers the price, also as JSON", async () => {
    const token = await sold();
    for (let i = 0; i < 20; i++) harness.prices.sell(visitor, SITE);
    expect(stage()).toBe("work");
    const headers = { "Content-Type": "application/json", "X-Api-Key": harness.keys.shop.key };
    const body = JSON.stringify({ jwt: token, verdict: "good" });
    expect((await tell("", { more: { headers, body } })).body["success"]).toBe(true);
    expect(stage()).toBe("free");
  });

  it("[H40] only one report per token counts, whatever its verdict", async () => {
    const token = await sold();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => tell(`jwt=${token}&verdict=${i % 2 ? "fraud" : "good"}`)),
    );
    const done = answers.filter(({ body }) => body["success"] === true);
    expect(done).toHaveLength(1);
    for (const { status, body } of answers)
      if (body["success"] !== true)
        expect([status, body]).toEqual([
          200,
          { success: false, error: "invalid_jwt", reason: "already_reported" },
        ]);
  });

  it("[H40] a report may come up to a day after the token's life, and no later", async () => {
    const [early, late] = [await sold(), await sold()];
    clock.advance(300_000 + 86_400_000 - 1_000);
    expect((await tell(`jwt=${early}&verdict=fraud`)).body["success"]).toBe(true);
    // The report is still known.
    expect((await tell(`jwt=${early}&verdict=fraud`)).body["reason"]).toBe("already_reported");
    clock.advance(1_000);
    expect((await tell(`jwt=${late}&verdict=fraud`)).body).toEqual({
      success: false,
      error: "invalid_jwt",
      reason: "expired",
      validation_check: "expired",
    });
  });

  it.each([
    ["no token", "verdict=fraud", 400, "missing_required_params", "missing_jwt"],
    ["no verdict", "jwt=TOKEN", 400, "missing_required_params", "invalid_verdict"],
    ["another verdict", "jwt=TOKEN&verdict=bad", 400, "missing_required_params", "invalid_verdict"],
    [
      "the verdict twice",
      "jwt=TOKEN&verdict=good&verdict=fraud",
      400,
      "missing_required_params",
      "duplicate_param",
    ],
    ["an array", "jwt[]=TOKEN&verdict=good", 400, "missing_required_params", "duplicate_param"],
    ["a token that is none", "jwt=x&verdict=good", 200, "invalid_jwt", "malformed"],
    [
      "a token that is too long",
      `jwt=${"x".repeat(2_049)}&verdict=good`,
      413,
      "invalid_jwt",
      "token_too_long",
    ],
    [
      "the API key in the body",
      "jwt=TOKEN&verdict=good&api_key=x",
      401,
      "invalid_api_key",
      "api_key_misplaced",
    ],
  ])("[H40] a report with %s is rejected and changes nothing", async (_name, body, status, error, reason) => {
    const token = await sold();
    const answer = await tell(body.replace("TOKEN", token));
    expect([answer.status, answer.body["error"], answer.body["reason"]]).toEqual([status, error, reason]);
    expect(stage()).toBe("free");
    expect((await tell(`jwt=${token}&verdict=good`)).body["success"]).toBe(true);
  });

  it("[H40] a report needs the API key of the customer, the path of the token, and POST from a server", async () => {
    const token = await sold();
    const body = `jwt=${token}&verdict=fraud`;
    expect(await tell(body, { more: { headers: form } })).toMatchObject({ status: 401 });
    expect(await tell(body, { key: harness.keys.other.key })).toMatchObject({
      status: 403,
      body: { error: "forbidden_site_key", reason: "not_owner" },
    });
    expect((await tell(body, { site: SECOND_SITE })).body["error"]).toBe("path_mismatch");
    expect((await tell(body, { site: FOREIGN_SITE })).body["error"]).toBe("path_mismatch");
    const read = await harness.ask(`/${SITE}/feedback?${body}`, {
      headers: { "X-Api-Key": harness.keys.shop.key },
    });
    expect([read.status, read.headers["allow"]]).toEqual([405, "POST"]);
    const inUrl = await harness.ask(`/${SITE}/feedback?${body}`, {
      method: "POST",
      headers: { "X-Api-Key": harness.keys.shop.key },
    });
    expect([inUrl.status, inUrl.body["reason"]]).toEqual([400, "invalid_verdict"]);
    const headers = { ...form, "X-Api-Key": harness.keys.shop.key, Origin: "https://shop.example" };
    expect((await tell(body, { more: { headers, body } })).status).toBe(403);
    expect((await tell(body, { more: { body: "x".repeat(20_000) } })).body).toMatchObject({ success: false });
    expect(stage()).toBe("free");
  });

  it("[H40] a report on a token without a sealed record does not change the price of the network", async () => {
    expect((await tell(`jwt=${await harness.issue()}&verdict=fraud`)).body["success"]).toBe(true);
    expect(stage()).toBe("free");
  });
});
