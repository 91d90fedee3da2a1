import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TaskType } from "../../../../plugins/captcha/captcha-table.js";
import type { PowChallenge } from "../../../../plugins/captcha/service/protocol.js";
import {
  type ApiOptions,
  botTick,
  CaptchaApi,
  siteKey,
  solve,
  type Visitor,
} from "../../../support/captcha-api.js";
import { captchaLimits, captchaPrices } from "../../../support/captcha-limits.js";
import { replyTo } from "../../../support/captcha-tasks.js";
import { numbers } from "../../../support/random.js";

let api: CaptchaApi;
let visitor: Visitor;
const open = async (options: ApiOptions = {}) => {
  api = await CaptchaApi.open(options);
  visitor = api.visitor();
  await visitor.arrive(botTick());
};
beforeEach(() => open());
afterEach(() => api.close());

const TOKEN = { outcome: "token", token: expect.any(String), ttl_ms: expect.any(Number) };
const wrong = { cells: [11, 10, 9] };

describe("the price of the next task", () => {
  const fail = async (type?: TaskType) => {
    await visitor.next(type);
    await visitor.answer(wrong);
  };

  it("[A36] failures cost work and waiting from the third on, and the fifth ends the session with a message", async () => {
    await api.close();
    await open({ mostBits: 18 });
    const seen: [number | undefined, number | undefined][] = [];
    let last = await visitor.ask("shapes");
    for (let i = 0; i < 5; i++) {
      let answer = await visitor.ask("shapes");
      let bits: number | undefined;
      let wait: number | undefined;
      while (answer.body["outcome"] !== "task") {
        const { outcome, pow, wait_ms } = answer.body as {
          outcome: string;
          pow: PowChallenge;
          wait_ms: number;
        };
        if (outcome === "pow") bits = pow.bits;
        else {
          wait = wait_ms;
          api.clock.advance(wait_ms);
        }
        answer = outcome === "pow" ? await visitor.ask("shapes", solve(pow)) : await visitor.ask("shapes");
      }
      seen.push([bits, wait]);
      last = await visitor.answer(wrong);
    }
    expect(seen).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, 500],
      [5, 1_000],
      [5, 2_000],
    ]);
    expect(last).toMatchObject({
      status: 410,
      body: {
        error: "session_expired",
        retryable: true,
        message: "Too many wrong answers: begin a new session.",
      },
    });
    expect((await visitor.ask("shapes")).status).toBe(410);
    expect((await visitor.arrive(botTick())).body["outcome"]).toBe("task");
    expect((await visitor.next("shapes")).body["outcome"]).toBe("task");
  });

  it("[A36] the work of a task grows by one bit every three tries, and the wait is at most eight seconds", async () => {
    await api.close();
    await open({ mostBits: 18 });
    const bits = new Set();
    // The first three abandoned tasks are free.
    for (let i = 0; i < 13; i++) {
      const answer = await visitor.ask("shapes");
      const { outcome, pow } = answer.body as { outcome: string; pow: PowChallenge };
      if (outcome !== "pow") continue;
      bits.add(pow.bits);
      await visitor.ask("shapes", solve(pow));
    }
    expect([...bits]).toEqual([5, 6, 7]);
    await visitor.answer(wrong);
    const { body } = await visitor.ask("shapes");
    expect(body).toMatchObject({ outcome: "pow", pow: { bits: 7 } });
    expect((await visitor.ask("shapes", solve(body["pow"] as PowChallenge))).body).toEqual({
      outcome: "wait",
      wait_ms: 8_000,
    });
  });

  it("a sound task costs four more bits, from the first one on", async () => {
    await api.close();
    await open({ mostBits: 18 });
    expect((await visitor.ask("audio")).body).toMatchObject({ outcome: "pow", pow: { bits: 8 } });
    expect((await visitor.ask("shapes")).body["outcome"]).toBe("task");
  });

  it("wrong work does not pay for a task, and the same work does not pay twice", async () => {
    const { body } = await visitor.ask("audio");
    const pow = solve(body["pow"] as PowChallenge);
    const broken = { ...pow, answers: pow.answers.map((x) => x + 1) };
    const { body: again } = await visitor.ask("audio", broken);
    expect(again["outcome"]).toBe("pow");
    expect((await visitor.ask("audio", pow)).body["outcome"]).toBe("pow");
    await visitor.next("audio");
    const { body: second } = await visitor.ask("audio");
    expect(second["outcome"]).toBe("pow");
  });

  it("more than three unanswered tasks raise the price of the next one", async () => {
    const outcomes = [];
    for (let i = 0; i < 8; i++) outcomes.push((await visitor.ask("shapes")).body["outcome"]);
    expect(outcomes).toEqual(["task", "task", "task", "task", "task", "task", "pow", "pow"]);
  });

  it("[H42] a network above its cap for sound gets 429 with Retry-After and a message", async () => {
    await api.close();
    await open({ settings: { price: captchaPrices({ audio: { burst: 5, hourly: 60 } }) } });
    for (let i = 0; i < 5; i++) expect((await visitor.next("audio")).status).toBe(200);
    const refused = await visitor.ask("audio");
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: "rate_limited",
        retryable: true,
        retry_after_ms: 60_000,
        message: expect.stringContaining("Sound"),
      },
    });
    expect(refused.headers.get("retry-after")).toBe("60");
    // The sound on the screen can still be answered.
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
    await visitor.arrive(botTick());
    expect((await visitor.next("shapes")).status).toBe(200);
    const neighbour = api.visitor({ address: "198.51.100.1" });
    await neighbour.arrive(botTick());
    expect((await neighbour.next("audio")).status).toBe(200);
  });

  it("the failures of a network raise the score of its next visitors", async () => {
    api.configure((next) => (next.siteKeys = [siteKey({ threshold: 0.39 })]));
    for (let i = 0; i < 3; i++) await fail("shapes");
    expect((await api.visitor().arrive()).body["outcome"]).toBe("task");
    expect((await api.visitor({ address: "198.51.100.1" }).arrive()).body["outcome"]).toBe("token");
  });
});

describe("many tasks", () => {
  beforeEach(async () => {
    await api.close();
    await open({ direct: true, mostBits: 2 });
  });

  it("[A37] [C27] after a thousand wrong answers another task follows, and the memory has not grown", async () => {
    const entries = () =>
      Object.values(api.parts.states.usage()).reduce((sum, { entries = 0 }) => sum + entries, 0);
    await visitor.next("shapes");
    const first = entries();
    for (let i = 0; i < 1_000; i++) {
      if ((await visitor.answer(wrong)).status === 410) await visitor.arrive(botTick());
      expect((await visitor.next("shapes")).body["outcome"]).toBe("task");
    }
    // One session, one task with its two pictures, and the frame's reference, which was not fetched.
    expect(first).toBe(5);
    // References live for a minute, in which a handful of sessions of five wrong answers fit.
    expect(entries()).toBeLessThanOrEqual(first + 15);
    const session = await api.parts.states.get(`session/${visitor.session}`);
    expect(JSON.stringify(session).length).toBeLessThan(3_000);
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
  });

  it("[A36] two thousand blind tries win no more often than chance", async () => {
    // 1 of 1,320 ordered picks: of 2,000 tries one or two win, more than 8 by one seed of ten thousand.
    const below = numbers(1);
    api.configure((next) => (next.siteKeys = [siteKey({ taskTypes: ["shapes"] })]));
    let wins = 0;
    for (let i = 0; i < 2_000; i++) {
      await visitor.next("shapes");
      const free = Array.from({ length: 12 }, (_, cell) => cell);
      const cells = [12, 11, 10].flatMap((count) => free.splice(below(count), 1));
      const { status, body } = await visitor.answer({ cells });
      expect(body["outcome"] ?? body["error"]).toMatch(/^(?:again|token|session_expired)$/);
      if (body["outcome"] === "token") wins++;
      if (status !== 200 || body["outcome"] === "token") await visitor.arrive(botTick());
    }
    expect(wins).toBeLessThanOrEqual(8);
  });
});

describe("pictures that are not fetched", () => {
  it("unfetched pictures wait up to a limit; the oldest leave, and their tasks can still be answered", async () => {
    await api.close();
    // Two pictures of a test task take about 700 bytes as they are counted.
    await open({ settings: { limits: captchaLimits({ pictureBytes: 3_100 }) } });
    const visitors = Array.from({ length: 10 }, () => api.visitor());
    for (const one of visitors) {
      await one.arrive(botTick());
      await one.next("shapes");
    }
    const found = [];
    for (const one of visitors) found.push((await one.part(`/task/${one.task}/strip.png`)).status);
    expect(found.slice(0, 5)).toEqual([404, 404, 404, 404, 404]);
    expect(found.slice(-3)).toEqual([200, 200, 200]);
    const [first = visitor] = visitors;
    expect(
      (await first.answer(replyTo(api.tasks.made[0]?.answer ?? { type: "text", text: "" }))).body,
    ).toEqual(TOKEN);
  });
});

describe("choice of a task", () => {
  const types = async (count: number, request?: TaskType) => {
    const shown: unknown[] = [];
    for (let i = 0; i < count; i++) {
      shown.push((await visitor.next(request)).body["type"]);
      await visitor.answer(wrong);
    }
    return shown;
  };

  it("the service shows pictures, and after two failures the two kinds of pictures in turn", async () => {
    const shown = await types(5);
    expect(shown.every((type) => type === "shapes" || type === "rings")).toBe(true);
    const later = shown.slice(2);
    expect(later.every((type, i) => i === 0 || type !== later[i - 1])).toBe(true);
  });

  it("neither a wish nor leaving tasks changes the kind of picture that the server chose", async () => {
    for (const wish of ["shapes", "rings"] as const)
      for (let i = 0; i < 6; i++) {
        await visitor.arrive(botTick());
        const { body: first } = await visitor.next();
        const seen = new Set();
        for (let j = 0; j < 6; j++) seen.add((await visitor.next(wish)).body["type"]);
        await visitor.next("text");
        seen.add((await visitor.next(wish)).body["type"]);
        expect([...seen]).toEqual([first["type"]]);
      }
  });

  it("a visitor who asks for one kind of picture gets it no more often than others", async () => {
    let rings = 0;
    for (let i = 0; i < 200; i++) {
      await visitor.arrive(botTick());
      if ((await visitor.next("rings")).body["type"] === "rings") rings++;
    }
    // 70 expected; 36 and 104 are five standard deviations away.
    expect(rings).toBeGreaterThan(36);
    expect(rings).toBeLessThan(104);
  });

  it("the service shows mostly the type that the site key names first", async () => {
    let first = 0;
    for (let i = 0; i < 200; i++) {
      await visitor.arrive(botTick());
      if ((await visitor.next()).body["type"] === "shapes") first++;
    }
    // 130 expected; 95 is five standard deviations away.
    expect(first).toBeGreaterThan(95);
    expect(first).toBeLessThan(165);
  });

  it("the service shows the type that the visitor chose, also the next time", async () => {
    await visitor.next("audio");
    await visitor.answer(wrong);
    expect(await types(1)).toEqual(["audio"]);
    expect(await types(1, "text")).toEqual(["text"]);
    expect(await types(1)).toEqual(["text"]);
  });

  it("the service never shows a type that the site key does not allow", async () => {
    api.configure((next) => (next.siteKeys = [siteKey({ taskTypes: ["rings", "text"] })]));
    expect((await visitor.ask("audio")).status).toBe(400);
    const { body } = await visitor.next();
    expect(body).toMatchObject({ type: "rings", types: ["rings", "text"] });
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
  });

  it("a worse score leads to a harder task", async () => {
    await types(4);
    expect(new Set(api.tasks.asked.map(({ level }) => level))).toEqual(new Set([2]));
    api.configure((next) => (next.siteKeys = [siteKey({ challengeMode: "always" })]));
    const neighbour = api.visitor({ address: "198.51.100.1" });
    await neighbour.arrive();
    await neighbour.next("shapes");
    expect(api.tasks.asked.at(-1)?.level).toBe(0);
  });

  it("[H36] tasks become harder after three wrong answers of a session and after ten of its network", async () => {
    api.configure((next) => (next.siteKeys = [siteKey({ challengeMode: "always" })]));
    const levels = async () => {
      api.tasks.asked.length = 0;
      await visitor.arrive();
      await types(5);
      return api.tasks.asked.map(({ level }) => level);
    };
    expect(await levels()).toEqual([0, 0, 0, 1, 1]);
    expect(await levels()).toEqual([0, 0, 0, 1, 1]);
    expect(await levels()).toEqual([1, 1, 1, 1, 1]);
    const neighbour = api.visitor({ address: "198.51.100.1" });
    await neighbour.arrive();
    await neighbour.next("shapes");
    expect(api.tasks.asked.at(-1)?.level).toBe(0);
  });

  it("the service shows no task before the tick", async () => {
    await visitor.begin();
    expect((await visitor.ask("shapes")).body["error"]).toBe("session_expired");
  });
});
