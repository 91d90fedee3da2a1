import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { botTick, CaptchaApi, type Visitor } from "../../../support/captcha-api.js";
import { PATIENCE_MS } from "../../../support/patience.js";
import { RedisServer } from "../../../support/redis-server.js";

/** Timeout of polls. */
const PATIENCE = { timeout: PATIENCE_MS };

let redis: RedisServer;
let nodes: [CaptchaApi, CaptchaApi];
beforeAll(async () => {
  redis = await RedisServer.start();
  const settings = { store: redis.store() };
  nodes = [await CaptchaApi.open({ settings }), await CaptchaApi.open({ settings })];
});
afterAll(async () => {
  for (const node of nodes) await node.close();
  await redis.stop();
});

/** The same visitor, with the next call sent to the other node. */
function onOther(visitor: Visitor): Visitor {
  const other = nodes[1].visitor();
  const { session, pow, task, ref } = visitor;
  return Object.assign(other, { session, pow, task, ref });
}

describe("two nodes with one Redis", () => {
  it("two nodes with one Redis share sessions, ticks, tasks and pictures", async () => {
    const here = nodes[0].visitor();
    await here.begin();
    const there = onOther(here);
    expect((await there.tick(botTick())).body["outcome"]).toBe("task");
    await here.next("shapes");
    there.task = here.task;
    expect((await there.part(`/task/${here.task}/grid.png`)).status).toBe(200);
    expect((await here.part(`/task/${here.task}/grid.png`)).status).toBe(404);
    const { body } = await there.answer(nodes[0].tasks.solution());
    expect(await nodes[0].parts.tokens.open(String(body["token"]))).toHaveProperty("payload");
  });

  it("[A34] of simultaneous right answers to two nodes, one gets the token", async () => {
    for (let round = 0; round < 20; round++) {
      const here = nodes[0].visitor();
      await here.arrive(botTick());
      await here.next("shapes");
      const there = onOther(here);
      const reply = nodes[0].tasks.solution();
      const answers = await Promise.all([here, there, here, there].map((visitor) => visitor.answer(reply)));
      const outcomes = answers.map(({ body }) => body["outcome"] ?? body["error"]);
      expect(outcomes.filter((outcome) => outcome === "token")).toHaveLength(1);
    }
  });

  it("[A31] of two ticks with the same work at two nodes, one is scored", async () => {
    for (let round = 0; round < 20; round++) {
      const here = nodes[0].visitor();
      await here.begin();
      const answers = await Promise.all([here.tick(), onOther(here).tick()]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    }
  });

  it("a node responds with 503 while Redis is away, and continues when it is back", async () => {
    const node = await CaptchaApi.open({ settings: { store: redis.store(250) } });
    onTestFinished(() => node.close());
    const visitor = node.visitor();
    await expect.poll(async () => (await visitor.begin()).status, PATIENCE).toBe(200);
    redis.freeze();
    expect(await visitor.tick()).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
    redis.thaw();
    await expect
      .poll(
        async () => ((await visitor.begin()).status === 200 ? (await visitor.tick()).body["outcome"] : ""),
        PATIENCE,
      )
      .toBe("token");
  });
});
