import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ManualClock } from "../../../support/captcha-clock.js";
import { place } from "../../../support/captcha-limits.js";
import { CaptchaHarness, FOREIGN_SITE, SECOND_SITE, SITE } from "../../../support/verify-harness.js";

let harness: CaptchaHarness;
beforeAll(async () => {
  harness = await CaptchaHarness.start();
});
afterAll(() => harness.stop());

describe("a token that passes", () => {
  it("[C41] [C46] [C47] [C40] [C37] the verification of a good token returns its claims as JSON by GET", async () => {
    const claims = harness.claims({ action: "login" });
    const token = await harness.tokens.issue(claims, 300_000);
    const answer = await harness.verify(token);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.body).toEqual({
      success: true,
      request_id: claims.request_id,
      site_key: SITE,
      challenge_ts: new Date(harness.clock.now()).toISOString(),
      hostname: "shop.example",
      action: "login",
    });
    const payload = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    expect(payload).toMatchObject({ request_id: claims.request_id, site_key: SITE });
    expect(payload.exp - payload.iat).toBe(300);
  });

  it("[C29] [H6] a token is a JWT of three parts that lives for the given TTL", async () => {
    const token = await harness.issue({}, 60_000);
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(token.length).toBeLessThan(600);
    const [header, payload] = token
      .split(".")
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
    expect(header).toEqual({ alg: "EdDSA", typ: "spc+jwt", kid: expect.stringMatching(/^[\w-]{1,32}$/) });
    expect(payload.exp - payload.iat).toBe(60);
    expect(payload).not.toHaveProperty("score");
  });

  it("[C34] [C35] one key of the customer verifies the tokens of each of its site keys", async () => {
    for (const site of [SITE, SECOND_SITE]) {
      const answer = await harness.verify(await harness.issue({ site_key: site }), { site });
      expect(answer.body).toMatchObject({ success: true, site_key: site });
    }
    const foreign = await harness.issue({ site_key: FOREIGN_SITE });
    expect(
      (await harness.verify(foreign, { site: FOREIGN_SITE, key: harness.keys.other.key })).body.success,
    ).toBe(true);
  });

  it("[H8] a verification returns a score only if the site key exposes it", async () => {
    const claims = harness.claims({ site_key: SECOND_SITE });
    harness.change(SECOND_SITE, { exposeScore: true });
    await harness.stores.states.put(`score/${claims.request_id}`, 0.3, 60_000, place());
    const shown = await harness.verify(await harness.tokens.issue(claims, 60_000), { site: SECOND_SITE });
    expect(shown.body.score).toBe(0.3);
    harness.change(SECOND_SITE, { exposeScore: false });
    const again = harness.claims({ site_key: SECOND_SITE });
    await harness.stores.states.put(`score/${again.request_id}`, 0.3, 60_000, place());
    const hidden = await harness.verify(await harness.tokens.issue(again, 60_000), { site: SECOND_SITE });
    expect(hidden.body).not.toHaveProperty("score");
  });
});

describe("the life of a token", () => {
  it("[A1] [C38] [C54] [C39] a second verification of a token is rejected with already_used", async () => {
    const token = await harness.issue();
    expect((await harness.verify(token)).body.success).toBe(true);
    const second = await harness.verify(token);
    expect(second.status).toBe(200);
    expect(second.body).toEqual({ success: false, error: "invalid_jwt", reason: "already_used" });
  });

  it("[A13] [C53] [C49] [H26] [C39] a token expires at its last second", async () => {
    const [early, late] = await Promise.all([harness.issue({}, 10_000), harness.issue({}, 10_000)]);
    const clock = harness.clock as ManualClock;
    clock.advance(9_999);
    expect((await harness.verify(early)).body.success).toBe(true);
    clock.advance(1);
    expect((await harness.verify(late)).body).toEqual({
      success: false,
      error: "invalid_jwt",
      reason: "expired",
      validation_check: "expired",
    });
    clock.advance(1_000);
    expect((await harness.verify(late)).body.reason).toBe("expired");
  });
});
