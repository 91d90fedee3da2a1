import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryHash } from "../../../../plugins/captcha/service/pow/argon2.js";
import { MemoryBusyError } from "../../../../plugins/captcha/service/pow/memory-checks.js";
import type { PowChallenge } from "../../../../plugins/captcha/service/protocol.js";
import {
  type ApiOptions,
  CaptchaApi,
  siteKey,
  solve,
  solveWithMemory,
  telemetry,
  trail,
  type Visitor,
} from "../../../support/captcha-api.js";
import { captchaPrices } from "../../../support/captcha-limits.js";

let api: CaptchaApi;
afterEach(() => api.close());
const open = async (options: ApiOptions = {}) => {
  api = await CaptchaApi.open({ siteKeys: [siteKey({ work: "argon2id" })], mostBits: 18, ...options });
};
const tick = (visitor: Visitor, pow: unknown) => {
  api.clock.advance(4_000);
  return visitor.call("/score", { session: visitor.session, pow, ...visitor.seen(telemetry()) });
};
const begun = async (): Promise<{ visitor: Visitor; pow: PowChallenge }> => {
  const visitor = api.visitor();
  await visitor.begin();
  if (visitor.pow === undefined) throw new Error("no session");
  return { visitor, pow: visitor.pow };
};
const TOKEN = { outcome: "token", token: expect.any(String), ttl_ms: expect.any(Number) };

describe("memory-hard work at the tick", () => {
  it("[H43] a key with work argon2id asks for memory-hard work beside the puzzles, and the work brings the token", async () => {
    await open();
    const { visitor, pow } = await begun();
    expect(pow).toMatchObject({ bits: 4, n: 16, memory: { n: 16, kib: 19_456, passes: 2, instead_bits: 8 } });
    expect((await tick(visitor, await solveWithMemory(pow))).body).toEqual(TOKEN);
  });

  it("[H43] without WebAssembly four more bits replace memory-hard work, and less work ends the session", async () => {
    await open();
    const { visitor, pow } = await begun();
    expect((await tick(visitor, solve(pow))).body).toEqual(TOKEN);
    const { memory: _, ...puzzles } = pow;
    const short = await begun();
    const { status } = await tick(
      short.visitor,
      solve({ ...puzzles, id: short.pow.id, salt: short.pow.salt }),
    );
    expect(status).toBe(400);
    expect((await tick(short.visitor, solve(short.pow))).status).toBe(410);
  });

  it("[H43] made-up hashes end the session, and the audit names pow_wrong as the reason", async () => {
    await open();
    const decision = vi.spyOn(api.audit, "decision");
    const { visitor, pow } = await begun();
    const memory = Array.from({ length: 16 }, (_, i) => i.toString(16).padStart(32, "0"));
    const { memory: _, ...puzzles } = pow;
    expect((await tick(visitor, { ...solve(puzzles), memory })).status).toBe(400);
    expect(decision.mock.calls).toMatchObject([
      [{ decision: "refused", reasons: [{ code: "pow_wrong", weight: 1 }] }],
    ]);
    expect((await tick(visitor, solve(pow))).status).toBe(410);
  });

  it("[H43] memory-hard work that cannot be checked now is asked for again, and the session survives", async () => {
    let busy = true;
    await open({
      memory: {
        hash: (...values) => (busy ? Promise.reject(new MemoryBusyError("too many")) : memoryHash(...values)),
      },
    });
    const { visitor, pow } = await begun();
    const answer = await solveWithMemory(pow);
    expect(await tick(visitor, answer)).toMatchObject({
      status: 503,
      body: { error: "service_unavailable", retryable: true, retry_after_ms: 3_000 },
    });
    busy = false;
    expect((await tick(visitor, answer)).body).toEqual(TOKEN);
  });

  it("[H43] memory-hard work comes with an attack on the key and goes with it", async () => {
    const price = captchaPrices({ attackFloor: 4 });
    await open({ siteKeys: [siteKey()], settings: { price } });
    expect((await begun()).pow.memory).toBeUndefined();
    api.parts.prices.count(siteKey().id, "failures");
    api.clock.advance(16 * 60_000);
    for (let i = 0; i < 6; i++) api.parts.prices.count(siteKey().id, "failures");
    const { visitor, pow } = await begun();
    expect(pow.memory).toMatchObject({ n: 16 });
    expect((await tick(visitor, await solveWithMemory(pow))).body).toEqual(TOKEN);
    api.clock.advance(30 * 60_000);
    expect((await begun()).pow.memory).toBeUndefined();
  });
});

describe("memory-hard work without a puzzle", () => {
  const arrived = async (): Promise<Visitor> => {
    const visitor = api.visitor();
    await visitor.arrive();
    return visitor;
  };

  it("[H43] the way without a puzzle asks for 64 hashes, or for four more bits at a key with work sha256", async () => {
    await open({ siteKeys: [siteKey({ challengeMode: "always" })] });
    const visitor = await arrived();
    const { body } = await visitor.patience();
    expect(body).toMatchObject({ outcome: "pow", pow: { bits: 4, memory: { n: 64, instead_bits: 8 } } });
    const paid = await visitor.patience(trail(), await solveWithMemory(body["pow"] as PowChallenge));
    expect(paid.body["outcome"]).toBe("wait");
    api.configure((next) => (next.siteKeys = [siteKey({ challengeMode: "always", work: "sha256" })]));
    const other = await (await arrived()).patience();
    expect(other.body).toMatchObject({ outcome: "pow", pow: { bits: 8 } });
    expect(other.body["pow"]).not.toHaveProperty("memory");
  });
});
