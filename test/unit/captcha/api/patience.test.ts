import { afterEach, describe, expect, it } from "vitest";
import type { PriceSettings } from "../../../../plugins/captcha/service/contract.js";
import type { PowChallenge } from "../../../../plugins/captcha/service/protocol.js";
import { openWinning } from "../../../../plugins/captcha/service/token/winning.js";
import {
  ABSENT,
  type ApiOptions,
  botTick,
  CaptchaApi,
  siteKey,
  solve,
  trail,
  type Visitor,
} from "../../../support/captcha-api.js";
import { captchaPrices, DEFAULT_PRICES } from "../../../support/captcha-limits.js";

let api: CaptchaApi;
afterEach(() => api.close());

const open = async (price: Partial<PriceSettings> = {}, options: ApiOptions = {}) => {
  api = await CaptchaApi.open({
    siteKeys: [siteKey({ challengeMode: "always" })],
    mostBits: 18,
    ...options,
    settings: { ...options.settings, price: captchaPrices(price) },
  });
};
const arrived = async (...seen: Parameters<Visitor["arrive"]>): Promise<Visitor> => {
  const visitor = api.visitor();
  await visitor.arrive(...seen);
  return visitor;
};
const claims = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString());
const won = (token: unknown) => {
  const { won: sealed, request_id } = claims(token);
  return openWinning(sealed, request_id, api.parts.configuration().secrets["key-ring"]);
};
const TOKEN = { outcome: "token", token: expect.any(String), ttl_ms: expect.any(Number) };

describe("the way without a puzzle", () => {
  it("[H41] the way without a puzzle asks for work and half a minute, and its token records it as patience", async () => {
    await open();
    const visitor = await arrived();
    expect((await visitor.next("shapes")).body).toMatchObject({ patience_ms: 30_000 });
    const begun = await visitor.patience();
    expect(begun.body).toMatchObject({ outcome: "pow", pow: { bits: 4, n: 16 }, wait_ms: 30_000 });
    api.clock.advance(5_000);
    const paid = await visitor.patience(trail(), solve(begun.body["pow"] as PowChallenge));
    expect(paid.body).toEqual({ outcome: "wait", wait_ms: 25_000 });
    api.clock.advance(24_999);
    expect((await visitor.patience()).body).toEqual({ outcome: "wait", wait_ms: 1 });
    api.clock.advance(1);
    const { body } = await visitor.patience();
    expect(body).toEqual(TOKEN);
    expect(won(body["token"])).toMatchObject({ how: "patience", level: 0 });
    const known = api.parts.audit.find(claims(body["token"]).request_id);
    expect(known).toMatchObject({
      decisions: [{}, { decision: "token", tasks: [{ type: "patience", ok: true }] }],
    });
    expect((await visitor.patience()).status).toBe(410);
  });

  it("[H41] the way without a puzzle needs right work however long the visitor waits", async () => {
    await open();
    const visitor = await arrived();
    const { body } = await visitor.patience();
    api.clock.advance(60_000);
    const right = solve(body["pow"] as PowChallenge);
    const wrong = { ...right, answers: right.answers.map((x) => x + 1) };
    const again = await visitor.patience(trail(), wrong);
    expect(again.body).toMatchObject({ outcome: "pow", wait_ms: 0 });
    expect((await visitor.patience(trail(), right)).body["outcome"]).toBe("pow");
    expect((await visitor.bePatient()).body).toEqual(TOKEN);
  });

  it("[H41] the way without a puzzle takes longer when a task would be harder", async () => {
    await open(
      { free: { burst: 0, hourly: 1e-9 }, work: { burst: 0, hourly: 1e-9 } },
      { siteKeys: [siteKey()] },
    );
    const visitor = await arrived();
    expect((await visitor.patience()).body).toMatchObject({ wait_ms: 45_000 });
    expect(won((await visitor.bePatient()).body["token"])).toMatchObject({ how: "patience", level: 1 });
  });

  it("[H41] a look at a task neither resets the wait nor prevents solving the task", async () => {
    await open({ patience: { burst: 1, hourly: 1 } });
    const visitor = await arrived();
    await visitor.patience();
    api.clock.advance(20_000);
    await visitor.next("shapes");
    expect((await visitor.patience()).body).toMatchObject({ outcome: "pow", wait_ms: 10_000 });
    await visitor.next("shapes");
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
  });

  it("[H41] the way without a puzzle is closed before the tick and at a site key that turns it off", async () => {
    await open({}, { siteKeys: [siteKey({ challengeMode: "always", patience: false })] });
    const visitor = api.visitor();
    await visitor.begin();
    expect((await visitor.patience()).status).toBe(410);
    await visitor.arrive();
    expect((await visitor.next("shapes")).body).not.toHaveProperty("patience_ms");
    expect((await visitor.patience()).status).toBe(403);
  });
});

describe("a program on the way without a puzzle", () => {
  it("[H41] a visitor without a program run, or with a driven browser, cannot use the way without a puzzle", async () => {
    await open();
    const driven = await arrived(botTick());
    const bare = api.visitor();
    await bare.begin();
    await bare.call("/score", {
      session: bare.session,
      pow: solve(bare.pow as PowChallenge),
      telemetry: bare.seen(ABSENT).telemetry,
    });
    for (const visitor of [driven, bare]) {
      expect((await visitor.next("shapes")).body).not.toHaveProperty("patience_ms");
      expect((await visitor.patience()).status).toBe(403);
      expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
    }
  });

  it("[H41] a press that a script made gets a task, and five of them end the session", async () => {
    await open();
    const visitor = await arrived();
    const scripted = trail({ trusted: 0 });
    for (let i = 0; i < 4; i++) expect((await visitor.patience(scripted)).body).toEqual({ outcome: "again" });
    expect((await visitor.patience(scripted)).body).toEqual({ outcome: "again" });
    expect((await visitor.patience()).status).toBe(410);
  });

  it("[H42] an address gets 13 tokens without a puzzle in its first hour, then 429 with Retry-After and a message", async () => {
    const { patience, partShare, task } = DEFAULT_PRICES;
    await open({ patience, partShare, task });
    const tokens = async (): Promise<number> => {
      for (let count = 0; ; count++) {
        const visitor = await arrived();
        const { status, body, headers } = await visitor.bePatient();
        if (status === 200) continue;
        expect([status, body["error"], body["retryable"]]).toEqual([429, "rate_limited", true]);
        expect(body["message"]).toContain("without a puzzle");
        expect(headers.get("retry-after")).toBe(String(Math.ceil(Number(body["retry_after_ms"]) / 1_000)));
        // Tasks are still open.
        expect((await visitor.next("shapes")).body["outcome"]).toBe("task");
        return count;
      }
    };
    const begin = api.clock.now();
    let sum = 0;
    while (api.clock.now() - begin < 3_600_000) {
      sum += await tokens();
      api.clock.advance(60_000);
    }
    // 4 at once and 9 an hour: three quarters of the network's 6 and 12.
    expect(sum).toBe(13);
  });

  it("[H42] a neighbour in the network gets the rest of its quota without a puzzle, another network a full one", async () => {
    await open({ patience: { burst: 6, hourly: 1e-6 }, partShare: 75 });
    const begun = async (address: string) => {
      const visitor = api.visitor({ address });
      await visitor.arrive();
      return (await visitor.patience()).status;
    };
    const all = async (address: string) => {
      const found = [];
      for (let i = 0; i < 7; i++) found.push(await begun(address));
      return found.filter((status) => status === 200).length;
    };
    expect(await all("203.0.113.7")).toBe(4);
    expect(await all("203.0.113.8")).toBe(2);
    expect(await all("198.51.100.1")).toBe(4);
  });
});

describe("the way without a puzzle at test keys", () => {
  it("[H10] the way without a puzzle at a test key takes a second and has no cap, also for driven browsers", async () => {
    await open({ patience: { burst: 1, hourly: 1 } }, { settings: { testing: true } });
    for (let i = 0; i < 3; i++) {
      const visitor = api.visitor();
      await visitor.arrive(botTick(), { site_key: "sp-test-task" });
      expect((await visitor.patience()).body).toMatchObject({ wait_ms: 1_000 });
      expect((await visitor.bePatient()).body).toEqual(TOKEN);
    }
  });
});
