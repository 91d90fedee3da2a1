import { afterEach, describe, expect, it } from "vitest";
import type { PriceSettings } from "../../../../plugins/captcha/service/contract.js";
import { openWinning } from "../../../../plugins/captcha/service/token/winning.js";
import {
  type ApiOptions,
  botTick,
  CaptchaApi,
  siteKey,
  solve,
  type Visitor,
} from "../../../support/captcha-api.js";
import { captchaPrices } from "../../../support/captcha-limits.js";

let api: CaptchaApi;
afterEach(() => api.close());

/** 3 free tokens, 4 for work, 4 for tasks; none comes back within a test. */
const SMALL: Partial<PriceSettings> = {
  free: { burst: 3, hourly: 1e-9 },
  work: { burst: 4, hourly: 1e-9 },
  task: { burst: 4, hourly: 1e-9 },
};
/** SMALL, but tokens for tasks come back, one a minute. */
const WAITING = { ...SMALL, task: { burst: 4, hourly: 60 } };
const open = async (options: ApiOptions = {}, price: Partial<PriceSettings> = SMALL) => {
  api = await CaptchaApi.open({ ...options, settings: { price: captchaPrices(price) } });
};
const arrivals = async (count: number) => {
  const outcomes: unknown[] = [];
  for (let i = 0; i < count; i++) {
    const { body } = await api.visitor().arrive();
    outcomes.push(body["outcome"] ?? body["error"]);
  }
  return outcomes;
};
const claims = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString());
const won = (token: unknown) => {
  const { won: sealed, request_id } = claims(token);
  return openWinning(sealed, request_id, api.parts.configuration().secrets["key-ring"]);
};
async function solved(visitor: Visitor) {
  await visitor.next("shapes");
  return (await visitor.answer(api.tasks.solution())).body["token"];
}

describe("a visitor whose network has had many tokens", () => {
  it("[H37] a busy network pays with more work, then with a task, then waits, whatever its telemetry", async () => {
    await open();
    expect(await arrivals(12)).toEqual([
      ...new Array(7).fill("token"),
      ...new Array(4).fill("task"),
      "rate_limited",
    ]);
    expect((await api.visitor({ address: "198.51.100.1" }).arrive()).body["outcome"]).toBe("token");
  });

  it("[H37] a new session in a busy network asks for one to four more bits of work", async () => {
    await open();
    const bits = [];
    for (let i = 0; i < 8; i++) {
      const visitor = api.visitor();
      await visitor.arrive();
      bits.push(visitor.pow?.bits);
    }
    expect(bits).toEqual([4, 4, 4, 5, 6, 7, 8, 8]);
  });

  it("[H37] a session request of an exhausted network is rejected until Retry-After has passed", async () => {
    await open({}, WAITING);
    await arrivals(11);
    const { status, body, headers } = await api.visitor().begin();
    expect([status, body["error"], body["retryable"]]).toEqual([429, "rate_limited", true]);
    const ms = Number(body["retry_after_ms"]);
    expect(headers.get("retry-after")).toBe(String(Math.ceil(ms / 1_000)));
    api.clock.advance(ms);
    expect(await arrivals(1)).not.toEqual(["rate_limited"]);
  });

  it("[H37] sessions that were begun while tokens were free do not avoid the later price", async () => {
    await open();
    const early = Array.from({ length: 20 }, () => api.visitor());
    for (const visitor of early) await visitor.begin();
    const outcomes = [];
    for (const visitor of early) {
      const { status, body } = await visitor.tick();
      outcomes.push(body["outcome"] ?? status);
    }
    // One bit of grace: the fourth is worth five bits; later ones have to begin again.
    expect(outcomes.slice(0, 5)).toEqual(["token", "token", "token", "token", 410]);
    expect(new Set(outcomes.slice(4))).toEqual(new Set([410]));
    expect(await arrivals(1)).toEqual(["token"]);
  });

  it("[H36] a task for the price has level 1, and level 2 when half of those tokens are used", async () => {
    await open();
    await arrivals(7);
    for (let i = 0; i < 3; i++) {
      const visitor = api.visitor();
      expect((await visitor.arrive()).body["outcome"]).toBe("task");
      await visitor.next("shapes");
    }
    expect(api.tasks.asked.map(({ level }) => level)).toEqual([1, 1, 2]);
  });

  it("[H39] tokens of a busy network record how they were won", async () => {
    await open();
    const tokens = [];
    for (let i = 0; i < 4; i++) tokens.push((await api.visitor().arrive()).body["token"]);
    expect(tokens.map((token) => won(token)?.how)).toEqual(["none", "none", "none", "work"]);
    await arrivals(3);
    const visitor = api.visitor();
    await visitor.arrive();
    const token = await solved(visitor);
    expect(won(token)).toMatchObject({ how: "picture", level: 1, attack: 0 });
    expect(claims(token)).not.toHaveProperty("level");
    const listener = api.visitor();
    await listener.arrive(botTick());
    await listener.next("audio");
    const heard = (await listener.answer(api.tasks.solution())).body["token"];
    expect(won(heard)).toMatchObject({ how: "audio", level: 2, reasons: [{ code: "webdriver" }] });
  });

  it("a busy network pays only work, then waits, at a key with challengeMode never", async () => {
    await open({ siteKeys: [siteKey({ challengeMode: "never" })] });
    expect(await arrivals(12)).toEqual([...new Array(11).fill("token"), "rate_limited"]);
  });

  it("a busy network at a key in shadow mode always passes", async () => {
    await open({ siteKeys: [siteKey({ shadow: true })] });
    expect(await arrivals(13)).toEqual(new Array(13).fill("token"));
  });

  it("a task that the key asks for uses only the quota of task tokens", async () => {
    await open({ siteKeys: [siteKey({ challengeMode: "always" })] });
    expect(await arrivals(5)).toEqual(["task", "task", "task", "task", "rate_limited"]);
    api.configure((next) => (next.siteKeys = [siteKey()]));
    expect(await arrivals(3)).toEqual(["token", "token", "token"]);
  });

  it("a visitor may tick again after a wait, in the same session", async () => {
    await open({ siteKeys: [siteKey({ challengeMode: "always" })] }, WAITING);
    const visitor = api.visitor();
    await visitor.begin();
    await arrivals(4);
    const waiting = await visitor.tick();
    expect(waiting).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    api.clock.advance(Number(waiting.body["retry_after_ms"]));
    expect((await visitor.tick()).body["outcome"]).toBe("task");
  });

  it("the audit and the metrics record the price of a token", async () => {
    await open();
    await arrivals(3);
    const { body } = await api.visitor().arrive();
    const known = api.parts.audit.find(claims(body["token"]).request_id);
    expect(known).toMatchObject({ decisions: [{ decision: "token", price: { stage: "work", attack: 0 } }] });
    const counts = api.metrics.snapshot().find(({ name }) => name === "gw_captcha_prices_total");
    expect(counts?.series.map(({ labels, value }) => [labels["price"], value])).toEqual([
      ["free", 3],
      ["work", 1],
    ]);
  });

  it("tokens of test keys cost nothing, however many are issued", async () => {
    api = await CaptchaApi.open({ settings: { testing: true, price: captchaPrices(SMALL) } });
    for (let i = 0; i < 15; i++) {
      const visitor = api.visitor();
      await visitor.begin({ site_key: "sp-test-pass" });
      expect(visitor.pow?.bits).toBe(8);
      expect((await visitor.tick()).body["outcome"]).toBe("token");
    }
  });
});

describe("wrong answers", () => {
  it("[H38] wrong answers are failures of the site, and many put it under attack", async () => {
    await open({ direct: true, mostBits: 2 }, { attackFloor: 8 });
    const fail = async () => {
      const visitor = api.visitor();
      await visitor.arrive(botTick());
      for (let i = 0; i < 5; i++) {
        const { body } = await visitor.next("shapes");
        if (body["outcome"] === "task") await visitor.answer({ cells: [11, 10, 9] });
      }
    };
    api.parts.prices.count(siteKey().id, "failures");
    api.clock.advance(16 * 60_000);
    await fail();
    expect(api.parts.prices.attacks()).toEqual({});
    await fail();
    expect(Object.keys(api.parts.prices.attacks())).toEqual([siteKey().id]);
    const visitor = api.visitor({ address: "198.51.100.1" });
    await visitor.begin();
    expect(visitor.pow?.bits).toBe(5);
    expect(visitor.pow === undefined ? [] : solve(visitor.pow).answers).toHaveLength(16);
  });
});
