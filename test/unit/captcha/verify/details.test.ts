import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWinning, sealWinning, type Winning } from "../../../../plugins/captcha/service/token/winning.js";
import { CaptchaHarness, SITE } from "../../../support/verify-harness.js";

let harness: CaptchaHarness;
beforeAll(async () => {
  harness = await CaptchaHarness.start();
});
afterAll(() => harness.stop());

const WON: Winning = {
  how: "picture",
  level: 1,
  reasons: [
    { code: "client_hints", weight: 0.45 },
    { code: "prefix_rate_soft", weight: 0.3 },
  ],
  attack: 2,
  networks: ["n".repeat(22), "m".repeat(22)],
};

async function issued(won: Partial<Winning> = {}) {
  const claims = harness.claims();
  const sealed = sealWinning(
    { ...WON, ...won },
    claims.request_id,
    harness.configuration.secrets["key-ring"],
  );
  return await harness.tokens.issue({ ...claims, won: sealed }, 300_000);
}

describe("a verification that asks for details", () => {
  it("[H39] details tell how the token was won, at which level, why and whether the site was under attack", async () => {
    const { body } = await harness.verify(await issued(), { query: "details=true" });
    expect(body).toMatchObject({ success: true, site_key: SITE });
    expect(body["details"]).toEqual({
      how: "picture",
      level: 1,
      reasons: WON.reasons,
      under_attack: true,
    });
    const calm = await harness.verify(await issued({ how: "none", level: 0, reasons: [], attack: 0 }), {
      query: "details=true",
    });
    expect(calm.body["details"]).toEqual({ how: "none", level: 0, reasons: [], under_attack: false });
  });

  it("[H39] details may be requested as JSON, and an idempotent request gets the same response again", async () => {
    const headers = { "X-Api-Key": harness.keys.shop.key, "Content-Type": "application/json" };
    const body = JSON.stringify({ jwt: await issued(), details: true, idempotency_key: "order-1" });
    const first = await harness.ask(`/${SITE}/verify`, { method: "POST", headers, body });
    expect(first.body).toHaveProperty("details.how", "picture");
    expect((await harness.ask(`/${SITE}/verify`, { method: "POST", headers, body })).body).toEqual(
      first.body,
    );
  });

  it("[H39] a response has no details without details=true or when the token does not pass", async () => {
    expect((await harness.verify(await issued())).body).not.toHaveProperty("details");
    expect((await harness.verify(await issued(), { query: "details=false" })).body).not.toHaveProperty(
      "details",
    );
    const used = await issued();
    await harness.verify(used);
    const { body } = await harness.verify(used, { query: "details=true" });
    expect(body).toEqual({ success: false, error: "invalid_jwt", reason: "already_used" });
  });

  it("[H39] the details of a token without a sealed record are null", async () => {
    const { body } = await harness.verify(await harness.issue(), { query: "details=true" });
    expect(body).toMatchObject({ success: true, details: null });
  });

  it.each(["details=yes", "details=1", "details=TRUE"])(
    "[H39] %s gets 400 and does not use the token up",
    async (query) => {
      const token = await issued();
      const { status, body } = await harness.verify(token, { query });
      expect([status, body["error"], body["reason"]]).toEqual([
        400,
        "missing_required_params",
        "invalid_details",
      ]);
      expect((await harness.verify(token)).body["success"]).toBe(true);
    },
  );
});

describe("the sealed record of a token", () => {
  const secret = Buffer.alloc(32, 1);

  it("the record cannot be read or changed without the secret, nor moved to another token", () => {
    const sealed = sealWinning(WON, "req_a", secret);
    expect(openWinning(sealed, "req_a", secret)).toEqual(WON);
    expect(Buffer.from(sealed, "base64url").toString("latin1")).not.toContain("picture");
    expect(openWinning(sealed, "req_b", secret)).toBeUndefined();
    expect(openWinning(sealed, "req_a", Buffer.alloc(32, 2))).toBeUndefined();
    for (let i = 0; i < sealed.length; i += 7) {
      const other = sealed[i] === "A" ? "B" : "A";
      const changed = sealed.slice(0, i) + other + sealed.slice(i + 1);
      expect(openWinning(changed, "req_a", secret)).toBeUndefined();
    }
    for (const text of ["", "A", undefined, 7, "AAAA".repeat(20)])
      expect(openWinning(text, "req_a", secret)).toBeUndefined();
  });

  it("a token with the longest names stays below 1,700 characters by dropping the lightest reasons", async () => {
    const reasons = Array.from({ length: 8 }, (_, i) => ({
      code: `a_reason_with_a_long_name_${i}`,
      weight: (9 - i) / 10,
    }));
    const claims = harness.claims({
      request_id: `req_${"r".repeat(26)}`,
      site_key: "s".repeat(64),
      hostname: "h".repeat(253),
      action: "a".repeat(32),
      ipb: `6/128/${"b".repeat(43)}`,
    });
    const won = { ...WON, reasons, networks: ["1", "2", "3"].map((one) => one.repeat(22)) };
    const sealed = sealWinning(won, claims.request_id, secret);
    expect((await harness.tokens.issue({ ...claims, won: sealed }, 300_000)).length).toBeLessThan(1_700);
    const kept = openWinning(sealed, claims.request_id, secret)?.reasons ?? [];
    expect(kept.length).toBeGreaterThan(3);
    expect(kept).toEqual(reasons.slice(0, kept.length));
  });
});
