import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClaimStore } from "../../../../plugins/captcha/service/contract.js";
import { StorageError } from "../../../../plugins/captcha/service/contract.js";
import type { CaptchaStores } from "../../../../plugins/captcha/service/store/open.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import { captchaLimits } from "../../../support/captcha-limits.js";
import { plainSiteKey } from "../../../support/captcha-site-key.js";
import { type Answer, CaptchaHarness, SITE } from "../../../support/verify-harness.js";

const successes = (answers: Answer[]) => answers.filter(({ body }) => body.success === true).length;

let harness: CaptchaHarness;
beforeAll(async () => {
  harness = await CaptchaHarness.start();
});
afterAll(() => harness.stop());

describe("simultaneous verifications", () => {
  it("[A2] of 50 verifications on two nodes of one store one succeeds", async () => {
    const second = await CaptchaHarness.start({
      stores: harness.stores,
      secrets: harness.secrets,
      clock: harness.clock,
    });
    for (let round = 0; round < 5; round++) {
      const token = await harness.issue();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          i % 2 === 0 ? harness.verify(token) : second.verify(token, { key: second.keys.shop.key }),
        ),
      );
      expect(successes(answers)).toBe(1);
      for (const { body } of answers)
        if (body.success !== true)
          expect(body).toEqual({ success: false, error: "invalid_jwt", reason: "already_used" });
    }
    await second.stop();
  });

  it("[A3] all verifications with one idempotency key succeed, and with different ones only one does", async () => {
    const same = await harness.issue();
    const alike = await Promise.all(
      Array.from({ length: 20 }, () => harness.verify(same, { query: "idempotency_key=order-1" })),
    );
    expect(successes(alike)).toBe(20);
    expect(new Set(alike.map(({ text }) => text)).size).toBe(1);
    const other = await harness.issue();
    const different = await Promise.all(
      Array.from({ length: 20 }, (_, i) => harness.verify(other, { query: `idempotency_key=order-${i}` })),
    );
    expect(successes(different)).toBe(1);
  });

  it("[A3] an idempotency key does not help another call, nor one without a key", async () => {
    const token = await harness.issue();
    expect((await harness.verify(token)).body.success).toBe(true);
    expect((await harness.verify(token, { query: "idempotency_key=once" })).body.reason).toBe("already_used");
    const marked = await harness.issue();
    expect((await harness.verify(marked, { query: "idempotency_key=k1" })).body.success).toBe(true);
    expect((await harness.verify(marked)).body.reason).toBe("already_used");
    expect((await harness.verify(marked, { query: "idempotency_key=k2" })).body.reason).toBe("already_used");
    expect((await harness.verify(marked, { query: "idempotency_key=k1" })).body.success).toBe(true);
  });
});

describe("test keys", () => {
  let testing: CaptchaHarness;
  const TEST = "sp-test-api-key";
  beforeAll(async () => {
    testing = await CaptchaHarness.start({ settings: { testing: true } });
  });
  afterAll(() => testing.stop());

  const tokenOf = (site: string, ttl = 300_000) =>
    testing.issue({ site_key: site, hostname: "anything.example", test: true }, ttl);

  it("[H10] tokens of sp-test-pass, sp-test-task and sp-test-expired verify with the test API key", async () => {
    for (const site of ["sp-test-pass", "sp-test-task", "sp-test-expired"])
      expect((await testing.verify(await tokenOf(site), { site, key: TEST })).body).toMatchObject({
        success: true,
        site_key: site,
      });
  });

  it("[H10] a token of sp-test-fail is rejected with test_token", async () => {
    const site = "sp-test-fail";
    const { body } = await testing.verify(await tokenOf(site), { site, key: TEST });
    expect(body).toMatchObject({ success: false, error: "invalid_jwt", reason: "test_token" });
  });

  it("[H10] a token of sp-test-expired is rejected after 2 s", async () => {
    const site = "sp-test-expired";
    const token = await tokenOf(site, 2_000);
    (testing.clock as ManualClock).advance(2_000);
    expect((await testing.verify(token, { site, key: TEST })).body.reason).toBe("expired");
  });

  it("[A25] [H10] a test token with a real key, and the reverse, is rejected with a message", async () => {
    const site = "sp-test-pass";
    const reversed = await testing.verify(await testing.issue(), { key: TEST });
    const real = await testing.verify(await tokenOf(site), { site, key: testing.keys.shop.key });
    for (const { status, body } of [real, reversed]) {
      expect([status, body.error, body.reason]).toEqual([200, "invalid_jwt", "test_token"]);
      expect(body.message).toMatch(/only with each other/);
    }
  });

  it("[A25] a token of a real site key that claims to be a test is rejected", async () => {
    const { body } = await testing.verify(await testing.issue({ test: true }), { key: TEST });
    expect([body.success, body.error]).toEqual([false, "forbidden_site_key"]);
  });

  it("[H10] test keys are unknown unless testing is on", async () => {
    const token = await harness.issue({ site_key: "sp-test-pass", test: true });
    expect((await harness.verify(token, { site: "sp-test-pass", key: TEST })).status).toBe(401);
    expect((await harness.verify(token, { site: "sp-test-pass" })).body.reason).toBe("test_token");
  });
});

/** A store whose claims fail on demand. */
function failing(stores: CaptchaStores) {
  const state = { down: false, afterWrite: false };
  const claims: ClaimStore = {
    async claim(id, ttlMs, value) {
      if (state.down) throw new StorageError("down");
      const outcome = await stores.claims.claim(id, ttlMs, value);
      if (state.afterWrite) throw new StorageError("no answer");
      return outcome;
    },
    close: () => stores.claims.close(),
  };
  return { stores: { ...stores, claims }, state };
}

describe("the store", () => {
  it("[A21] [C59] [H4] a store that is down leads to 503 storage_error with Retry-After, and the token is good afterwards", async () => {
    const { stores, state } = failing(harness.stores);
    const node = await CaptchaHarness.start({ stores, secrets: harness.secrets, clock: harness.clock });
    const token = await node.issue();
    state.down = true;
    const answer = await node.verify(token);
    expect([answer.status, answer.body]).toEqual([503, { success: false, error: "storage_error" }]);
    expect(answer.headers["retry-after"]).toBe("1");
    state.down = false;
    expect((await node.verify(token)).body.success).toBe(true);
    await node.stop();
  });

  it("[A21] a store that is silent after the write allows no second success, except with its idempotency key", async () => {
    const { stores, state } = failing(harness.stores);
    const node = await CaptchaHarness.start({ stores, secrets: harness.secrets, clock: harness.clock });
    const [plain, marked] = await Promise.all([node.issue(), node.issue()]);
    state.afterWrite = true;
    expect((await node.verify(plain)).status).toBe(503);
    expect((await node.verify(marked, { query: "idempotency_key=a" })).status).toBe(503);
    state.afterWrite = false;
    expect((await node.verify(plain)).body.reason).toBe("already_used");
    expect((await node.verify(marked, { query: "idempotency_key=a" })).body.success).toBe(true);
    await node.stop();
  });

  it("[A21] a store that is emptied between the check of the signature and the claim allows no success", async () => {
    let losses = 0;
    const { claims, keyRecords } = harness.stores;
    const emptied = {
      ...harness.stores,
      keyRecords: { ...keyRecords, losses: () => losses },
      claims: {
        ...claims,
        claim: (...claim: Parameters<ClaimStore["claim"]>) => {
          losses++;
          return claims.claim(...claim);
        },
      },
    };
    const node = await CaptchaHarness.start({
      stores: emptied,
      secrets: harness.secrets,
      clock: harness.clock,
    });
    const answer = await node.verify(await node.issue());
    expect([answer.status, answer.body.error]).toEqual([503, "storage_error"]);
    await node.stop();
  });

  it("[A22] [W1] [W5] a full store leads to storage_error, evicts nothing and gets room with time", async () => {
    const clock = new ManualClock();
    const node = await CaptchaHarness.start({
      clock,
      settings: { limits: captchaLimits({ sessions: 10, claims: 3, sessionsSoft: 1, sessionsHard: 1 }) },
    });
    const used: string[] = [];
    for (let i = 0; i < 3; i++) {
      const token = await node.issue({}, 60_000);
      expect((await node.verify(token)).body.success).toBe(true);
      used.push(token);
    }
    const waiting = await node.issue({}, 600_000);
    for (let i = 0; i < 5; i++) expect((await node.verify(waiting)).body.error).toBe("storage_error");
    for (const token of used) expect((await node.verify(token)).body.reason).toBe("already_used");
    clock.advance(60_000 + 121_000);
    expect((await node.verify(waiting)).body.success).toBe(true);
    await node.stop();
  });

  it("[A23] a restarted store in memory rejects old tokens with unknown_key", async () => {
    const before = await CaptchaHarness.start({ secrets: harness.secrets, clock: harness.clock });
    const token = await before.issue();
    await before.stop();
    const after = await CaptchaHarness.start({ secrets: harness.secrets, clock: harness.clock });
    const { body } = await after.verify(token);
    expect(body).toEqual({ success: false, error: "invalid_jwt", reason: "unknown_key" });
    await after.stop();
  });

  it("[W1] a rejected token is never claimed", async () => {
    const claimed: string[] = [];
    const claims: ClaimStore = {
      claim: (id, ttlMs, value) => {
        claimed.push(id);
        return harness.stores.claims.claim(id, ttlMs, value);
      },
      close: async () => {},
    };
    const node = await CaptchaHarness.start({
      stores: { ...harness.stores, claims },
      secrets: harness.secrets,
      clock: harness.clock,
    });
    const token = await node.issue();
    await node.verify(`${token}A`);
    await node.verify(token, { site: "site-key-of-blog" });
    await node.verify(token, { key: node.keys.other.key });
    await node.verify(token, { query: "ip=x" });
    expect(claimed).toEqual([]);
    await node.verify(token);
    expect(claimed).toHaveLength(1);
    await node.stop();
  });
});

describe("clocks", () => {
  it("[A26] clocks 3 s apart pass; 30 s apart get not_yet_valid or expired, and the former is counted", async () => {
    const clock = new ManualClock();
    const a = await CaptchaHarness.start({ clock });
    const node = (ahead: number) =>
      CaptchaHarness.start({ clock: clock.ahead(ahead), stores: a.stores, secrets: a.secrets });
    const nodes = await Promise.all([3_000, -3_000, 30_000, -30_000].map(node));
    const [fast, slow, faster, slower] = nodes as [
      CaptchaHarness,
      CaptchaHarness,
      CaptchaHarness,
      CaptchaHarness,
    ];
    const use = async (where: CaptchaHarness, ttl = 300_000) =>
      (await where.verify(await a.issue({}, ttl), { key: where.keys.shop.key })).body;
    expect((await use(fast)).success).toBe(true);
    expect((await use(slow)).success).toBe(true);
    expect((await use(faster, 20_000)).validation_check).toBe("expired");
    expect((await use(slower)).validation_check).toBe("not_yet_valid");
    const skew = slower.metrics.snapshot().find(({ name }) => name === "gw_captcha_clock_skew_total");
    expect(skew?.series[0]?.value).toBe(1);
    for (const stopped of [...nodes, a]) await stopped.stop();
  });

  it("a clock behind by a minute does not allow a used token again", async () => {
    const clock = new ManualClock();
    const a = await CaptchaHarness.start({ clock });
    const behind = await CaptchaHarness.start({
      clock: clock.ahead(-60_000),
      stores: a.stores,
      secrets: a.secrets,
    });
    const token = await a.issue({}, 120_000);
    expect((await a.verify(token)).body.success).toBe(true);
    clock.advance(121_000);
    // The token expired in the store a second ago, and lives for another minute on this node.
    expect((await behind.verify(token, { key: behind.keys.shop.key })).body.reason).toBe("already_used");
    await behind.stop();
    await a.stop();
  });
});

describe("key rotation", () => {
  it("[A24] tokens of the old key pass until they expire, and another node knows the new key at once", async () => {
    const clock = new ManualClock();
    const siteKeys = [plainSiteKey(SITE, "shop", { tokenTtl: 600 })];
    const a = await CaptchaHarness.start({ clock, siteKeys });
    const b = await CaptchaHarness.start({ clock, siteKeys, stores: a.stores, secrets: a.secrets });
    const kidOf = (token: string) =>
      JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;
    const passes = async (token: string) => (await b.verify(token, { key: b.keys.shop.key })).body;
    const [first, second, third] = [
      await a.issue({}, 600_000),
      await a.issue({}, 600_000),
      await a.issue({}, 600_000),
    ];
    clock.advance(1_000);
    const kid = await a.tokens.rotate();
    expect(kidOf(first)).not.toBe(kid);
    const fresh = await a.issue();
    expect(kidOf(fresh)).toBe(kid);
    expect((await passes(fresh)).success).toBe(true);
    expect((await passes(first)).success).toBe(true);
    clock.advance(598_000);
    expect((await passes(second)).success).toBe(true);
    clock.advance(40_000);
    expect((await passes(third)).reason).toBe("unknown_key");
    expect(await b.tokens.kids()).toEqual([kid]);
    await a.tokens.rotate();
    expect((await a.stores.keyRecords.load()).map((record) => record.kid)).not.toContain(kidOf(first));
    await b.stop();
    await a.stop();
  });
});
