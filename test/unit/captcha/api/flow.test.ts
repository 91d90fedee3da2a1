import { afterEach, describe, expect, it } from "vitest";
import {
  type ApiOptions,
  botTick,
  CaptchaApi,
  claimsOf,
  PAGE,
  SITE_KEY,
  siteKey,
  telemetry,
} from "../../../support/captcha-api.js";

let api: CaptchaApi;
const open = async (options: ApiOptions = {}) => {
  api = await CaptchaApi.open(options);
  return api.visitor();
};
const withKey = (settings: Parameters<typeof siteKey>[0]) => open({ siteKeys: [siteKey(settings)] });
afterEach(() => api.close());

describe("from the checkbox to the token", () => {
  it("[C22] [C23] [C28] [C29] [C30] the service scores a person's tick and responds with a JWT", async () => {
    const visitor = await open();
    const { status, body } = await visitor.arrive();
    expect(status).toBe(200);
    expect(body).toEqual({
      outcome: "token",
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      ttl_ms: 300_000,
    });
    expect(await api.parts.tokens.open(String(body["token"]))).toMatchObject({
      payload: { site_key: SITE_KEY },
    });
    expect(claimsOf(body["token"])).toMatchObject({
      request_id: expect.stringMatching(/^req_[a-z2-7]{26}$/),
      site_key: SITE_KEY,
      hostname: "shop.example.com",
      how: "score",
      iat: api.clock.now() / 1_000,
      exp: api.clock.now() / 1_000 + 300,
    });
  });

  it("[C24] a score above the threshold leads to a task, and the task reference yields the session once", async () => {
    const visitor = await open();
    const { body } = await visitor.arrive(botTick());
    expect(body).toEqual({ outcome: "task", ref: expect.stringMatching(/^[\w-]{22}$/) });
    expect(await api.parts.states.take(`task-ref/${visitor.ref}`)).toEqual({ session: visitor.session });
    expect(await api.parts.states.take(`task-ref/${visitor.ref}`)).toBeUndefined();
  });

  it("[C28] a right answer yields a token whose `how` claim is task", async () => {
    const visitor = await open({ siteKeys: [siteKey({ taskTypes: ["shapes", "text"] })] });
    await visitor.arrive(botTick());
    const { body: task } = await visitor.next("shapes");
    expect(task).toMatchObject({ outcome: "task", type: "shapes", count: 3, ttl_ms: 300_000 });
    const { body } = await visitor.answer(api.tasks.solution());
    expect(claimsOf(body["token"])).toMatchObject({ how: "task", hostname: "shop.example.com" });
  });

  it("the token of a sound task has how=audio, and the metrics count it under type audio", async () => {
    const visitor = await open();
    await visitor.arrive(botTick());
    await visitor.next("audio");
    const { body } = await visitor.answer(api.tasks.solution());
    expect(claimsOf(body["token"])).toMatchObject({ how: "audio" });
    const tasks = api.metrics.snapshot().find(({ name }) => name === "gw_captcha_tasks_total");
    expect(tasks?.series).toMatchObject([{ labels: { type: "audio", outcome: "solved" }, value: 1 }]);
  });

  it("a token carries data-action and nothing else from the page", async () => {
    const visitor = await open();
    const { body } = await visitor.arrive(telemetry(), { action: "sign-up" });
    const claims = claimsOf(body["token"]);
    expect(claims).toMatchObject({ action: "sign-up" });
    expect(Object.keys(claims).sort()).toEqual(
      ["action", "exp", "hostname", "how", "iat", "ipb", "iss", "request_id", "site_key", "won"].sort(),
    );
  });

  it("[C45] a token holds a keyed hash of the network unless ipBinding is off", async () => {
    const visitor = await open();
    const bound = claimsOf((await visitor.arrive()).body["token"]);
    expect(bound["ipb"]).toMatch(/^4\/24\/[\w-]{43}$/);
    expect(JSON.stringify(bound)).not.toContain("203.0.113");
    api.configure((next) => (next.siteKeys = [siteKey({ ipBinding: "exact" })]));
    const exact = claimsOf((await api.visitor().arrive()).body["token"]);
    expect(exact["ipb"]).toMatch(/^4\/32\//);
    api.configure((next) => (next.siteKeys = [siteKey({ ipBinding: "off" })]));
    expect(claimsOf((await api.visitor().arrive()).body["token"])).not.toHaveProperty("ipb");
  });

  it("a token lives for tokenTtl of its site key, and ttl_ms subtracts the elapsed part of the second", async () => {
    const visitor = await withKey({ tokenTtl: 60 });
    api.clock.advance(400);
    const { body } = await visitor.arrive();
    const claims = claimsOf(body["token"]);
    expect(Number(claims["exp"]) - Number(claims["iat"])).toBe(60);
    expect(body["ttl_ms"]).toBe(59_600);
  });

  it("exposeScore of a site key stores the score for verification, and the token never holds it", async () => {
    const visitor = await withKey({ exposeScore: true });
    const claims = claimsOf((await visitor.arrive(telemetry({}, { samples: 1 }))).body["token"]);
    expect(claims).not.toHaveProperty("score");
    expect(await api.parts.states.get(`score/${claims["request_id"]}`)).toBeCloseTo(0.35, 5);
  });

  it("the service stores no score when the site key does not expose it", async () => {
    const visitor = await open();
    const claims = claimsOf((await visitor.arrive()).body["token"]);
    expect(await api.parts.states.get(`score/${claims["request_id"]}`)).toBeUndefined();
  });

  it("a session yields only one token", async () => {
    const visitor = await open();
    await visitor.arrive();
    expect((await visitor.tick()).body).toEqual({ error: "session_expired", retryable: true });
  });

  it("[C20] responses hold neither score nor reasons nor settings", async () => {
    const visitor = await open();
    const answers = [await visitor.begin(), await visitor.tick(botTick()), await visitor.next("rings")];
    const text = JSON.stringify(answers.map(({ body }) => body));
    expect(text).not.toMatch(/score|reason|threshold|webdriver|angles|0\.9/);
  });
});

describe("when a task is shown", () => {
  const decided = async (settings: Parameters<typeof siteKey>[0], seen = telemetry()) => {
    const visitor = await withKey(settings);
    return (await visitor.arrive(seen)).body["outcome"];
  };
  /** Ticks with score 0.35: a mouse that clicks without moving. */
  const still = () => telemetry({}, { samples: 1 });

  it("[C32] [H7] a task is shown if the score is above the threshold of the site key, not if it equals it", async () => {
    expect(await decided({ threshold: 0.35 }, still())).toBe("token");
    await api.close();
    expect(await decided({ threshold: 0.3499 }, still())).toBe("task");
  });

  it("[H7] the default threshold passes a still mouse and stops a driven browser", async () => {
    expect(await decided({}, still())).toBe("token");
    await api.close();
    expect(await decided({}, botTick())).toBe("task");
  });

  it("[H7] challengeMode always shows a task also for the best score", async () => {
    expect(await decided({ challengeMode: "always" })).toBe("task");
  });

  it("[H7] challengeMode never shows no task, not even for the worst score", async () => {
    expect(await decided({ challengeMode: "never" }, botTick())).toBe("token");
  });

  it("[C32] shadow mode issues a token for a bad score and counts the decision as shadow", async () => {
    expect(await decided({ shadow: true }, botTick())).toBe("token");
    expect(api.audit.statistics().total).toMatchObject({ issued: 1, challenged: 0 });
    const families = api.metrics.snapshot().find(({ name }) => name === "gw_captcha_decisions_total");
    expect(families?.series).toMatchObject([
      { labels: { decision: "shadow", site_key: SITE_KEY }, value: 1 },
    ]);
  });
});

describe("test keys", () => {
  const testing = { settings: { testing: true } };
  const arrive = async (key: string, seen: unknown = telemetry()) => {
    const visitor = api.visitor();
    return {
      visitor,
      answer: await visitor.arrive(seen, { site_key: key, origin: "http://localhost:3000" }),
    };
  };

  it("[H10] sp-test-pass passes whatever the tick was like, and its token says that it is a test", async () => {
    await open(testing);
    const { answer } = await arrive("sp-test-pass", botTick());
    expect(claimsOf(answer.body["token"])).toMatchObject({ test: true, site_key: "sp-test-pass" });
  });

  it("[H10] sp-test-expired yields a token that lives two seconds", async () => {
    await open(testing);
    const { answer } = await arrive("sp-test-expired");
    const claims = claimsOf(answer.body["token"]);
    expect(Number(claims["exp"]) - Number(claims["iat"])).toBe(2);
    expect(answer.body["ttl_ms"]).toBe(2_000);
  });

  it("[H10] sp-test-fail yields a token that is marked as a test", async () => {
    await open(testing);
    const { answer } = await arrive("sp-test-fail");
    expect(claimsOf(answer.body["token"])).toMatchObject({ test: true, site_key: "sp-test-fail" });
  });

  it("[H10] sp-test-task always shows a task, and one known answer of each type solves it", async () => {
    await open(testing);
    const known = {
      shapes: { cells: [0, 1, 2] },
      rings: { angles: [0, 0, 0, 0] },
      text: { text: "TTTTT" },
      audio: { text: "2222" },
    };
    for (const type of ["shapes", "rings", "text", "audio"] as const) {
      const { visitor, answer } = await arrive("sp-test-task");
      expect(answer.body["outcome"]).toBe("task");
      // The server chooses the picture, here as well.
      const shown = (await visitor.next(type)).body["type"] as keyof typeof known;
      expect(claimsOf((await visitor.answer(known[shown])).body["token"])).toMatchObject({ test: true });
    }
  });

  it("[H10] test keys do not exist unless testing is on", async () => {
    await open();
    const { answer } = await arrive("sp-test-pass");
    expect(answer).toMatchObject({ status: 403, body: { error: "invalid_sitekey" } });
  });

  it("[H10] tokens of real keys have no test claim while testing is on", async () => {
    const visitor = await open(testing);
    expect(claimsOf((await visitor.arrive(telemetry(), { origin: PAGE })).body["token"])).not.toHaveProperty(
      "test",
    );
  });
});
