/**
 * Attackers fill the captcha's store from many networks at small limits; a visitor of another network is
 * served from the first to the last step. The long form has more networks, more sessions and pictures of real
 * size.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CaptchaSettings } from "../../plugins/captcha/service/contract.js";
import { botTick, CaptchaApi, solve, type Visitor } from "../support/captcha-api.js";
import { captchaLimits } from "../support/captcha-limits.js";
import { RedisServer } from "../support/redis-server.js";

const LONG = process.env["GWC_ATTACK"] === "long";
const NETWORKS = LONG ? 180 : 24;
const ROUNDS = LONG ? 20 : 4;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const STORES: Record<CaptchaSettings["store"]["type"], () => Promise<CaptchaSettings["store"]>> = {
  memory: async () => ({ type: "memory" }),
  async lmdb() {
    const path = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
    cleanups.push(() => rmSync(path, { recursive: true, force: true }));
    return { type: "lmdb", path };
  },
  async redis() {
    const server = await RedisServer.start();
    cleanups.push(() => server.stop());
    return server.store();
  },
};

async function opened(
  type: keyof typeof STORES,
  limits: Partial<CaptchaSettings["limits"]> = {},
): Promise<CaptchaApi> {
  const store = await STORES[type]();
  const api = await CaptchaApi.open({
    settings: { store, limits: captchaLimits({ sessions: 200, networkShare: 10, ...limits }) },
  });
  cleanups.push(() => api.close());
  return api;
}

const attacker = (api: CaptchaApi, network: number): Visitor =>
  api.visitor({ address: `203.${Math.floor(network / 250)}.${network % 250}.9` });

/**
 * Every network opens sessions, ticks them like a program, and leaves its tasks and their pictures unsolved.
 */
async function flood(api: CaptchaApi, seen: number[]): Promise<void> {
  for (let network = 0; network < NETWORKS; network++) {
    const visitor = attacker(api, network);
    seen.push((await visitor.begin()).status);
    // `tick` would let four seconds pass, and the visitor's task would expire before the end of the flood.
    const pow = visitor.pow && solve(visitor.pow);
    await visitor.call("/score", { session: visitor.session, pow, telemetry: botTick() });
    seen.push((await visitor.ask()).status);
  }
}

const types = Object.keys(STORES) as (keyof typeof STORES)[];

describe.each(types)("a %s store under attack", (type) => {
  it("the captcha serves a visitor of another network from the box to the token during a flood", async () => {
    const api = await opened(type);
    const innocent = api.visitor({ address: "198.51.100.4" });
    const seen: number[] = [];
    await flood(api, seen);
    expect((await innocent.begin()).status).toBe(200);
    await flood(api, seen);
    expect((await innocent.tick(botTick())).body["outcome"]).toBe("task");
    for (let round = 0; round < ROUNDS; round++) await flood(api, seen);
    const task = await innocent.ask("shapes");
    expect(task.body["outcome"]).toBe("task");
    const solution = api.tasks.solution();
    for (let round = 0; round < ROUNDS; round++) await flood(api, seen);
    const { parts } = task.body as { parts: { name: string; kind: string }[] };
    for (const { name, kind } of parts)
      expect((await innocent.part(`/task/${innocent.task}/${name}.${kind}`)).status).toBe(200);
    expect((await innocent.answer(solution)).body["outcome"]).toBe("token");
    // Attackers displace only each other, so none of their requests is rejected.
    expect(new Set(seen)).toEqual(new Set([200]));
    const { session } = api.parts.states.usage();
    expect(session.evicted).toBeGreaterThan(0);
    if (session.entries !== undefined) expect(session.entries).toBeLessThanOrEqual(200);
  });

  it("the captcha serves a visitor while the bytes of sessions, answers or pictures are exhausted", async () => {
    // With more networks than a budget has space for, each with an entry, no network has a guaranteed share.
    for (const limits of [
      { sessionBytes: 2_500 * NETWORKS },
      { answerBytes: 850 * NETWORKS },
      { pictureBytes: 1_700 * NETWORKS },
    ]) {
      const api = await opened(type, { sessions: 100_000, ...limits });
      const innocent = api.visitor({ address: "198.51.100.4" });
      await innocent.begin();
      await innocent.tick(botTick());
      const task = await innocent.ask("shapes");
      const solution = api.tasks.solution();
      const seen: number[] = [];
      for (let round = 0; round < ROUNDS; round++) await flood(api, seen);
      const { parts } = task.body as { parts: { name: string; kind: string }[] };
      const [{ name, kind } = { name: "", kind: "" }] = parts;
      expect((await innocent.part(`/task/${innocent.task}/${name}.${kind}`)).status).toBe(200);
      expect((await innocent.answer(solution)).body["outcome"]).toBe("token");
      expect(new Set(seen)).toEqual(new Set([200]));
      const usage = Object.values(api.parts.states.usage());
      expect(usage.reduce((sum, { evicted }) => sum + evicted, 0)).toBeGreaterThan(0);
    }
  });

  it("one network gets no more than its share of sessions, so a neighbour's session stays alive", async () => {
    const api = await opened(type);
    const early = attacker(api, 1);
    await early.begin();
    const others = Array.from({ length: 60 }, () => attacker(api, 0));
    for (const visitor of others) await visitor.begin();
    const alive = [];
    for (const visitor of [early, ...others]) alive.push((await visitor.tick()).status === 200);
    expect(alive[0]).toBe(true);
    expect(alive.filter(Boolean)).toHaveLength(21);
  });
});
