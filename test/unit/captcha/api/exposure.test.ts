import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StateStore } from "../../../../plugins/captcha/service/contract.js";
import { type ApiOptions, botTick, CaptchaApi, trail, type Visitor } from "../../../support/captcha-api.js";

let api: CaptchaApi;
let visitor: Visitor;
const open = async (options: ApiOptions = {}) => {
  api = await CaptchaApi.open(options);
  visitor = api.visitor();
  await visitor.arrive(botTick());
};
beforeEach(() => open());
afterEach(() => api.close());

const wrong = { cells: [11, 10, 9] };

describe("data that leaves the server", () => {
  it("the server sends pictures and sound once, uncached, only to the browser that the task was made for", async () => {
    const { body } = await visitor.next("shapes");
    expect(body["parts"]).toEqual([
      { name: "grid", kind: "png", width: 4, height: 4 },
      { name: "strip", kind: "png", width: 4, height: 4 },
    ]);
    const { status, headers, body: bytes } = await visitor.part(`/task/${visitor.task}/grid.png`);
    expect([status, bytes.toString()]).toEqual([200, "grid 0"]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "image/png",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    expect((await visitor.part(`/task/${visitor.task}/grid.png`)).status).toBe(404);
    const thief = api.visitor({ address: "198.51.100.1" });
    expect((await thief.part(`/task/${visitor.task}/strip.png`)).status).toBe(404);
    await visitor.next("audio");
    expect((await visitor.part(`/task/${visitor.task}/sound.wav`)).headers.get("content-type")).toBe(
      "audio/wav",
    );
  });

  it("the server sends no picture for a task that was left, to another site, by HEAD or under another name", async () => {
    await visitor.next("shapes");
    const { task } = visitor;
    await visitor.next("rings");
    expect((await visitor.part(`/task/${task}/grid.png`)).status).toBe(404);
    const embedded = api.visitor({ headers: { "Sec-Fetch-Site": "cross-site" } });
    expect((await embedded.part(`/task/${visitor.task}/grid.png`)).status).toBe(403);
    const head = await fetch(`${visitor.url}/api/v1/task/${visitor.task}/grid.png`, { method: "HEAD" });
    expect(head.status).toBe(405);
    for (const name of ["grid.wav", "other.png", "../grid.png", "grid.png%00", "__proto__.png"])
      expect([name, (await visitor.part(`/task/${visitor.task}/${name}`)).status]).toEqual([name, 404]);
    expect((await visitor.part(`/task/${visitor.task}/grid.png`)).status).toBe(200);
  });

  it("[A38] no body, header or id of a task contains its answer", async () => {
    await visitor.next("text");
    const texts: string[] = [];
    for (let i = 0; i < 20; i++) {
      const { body, headers } = await visitor.next("text");
      texts.push(JSON.stringify([body, [...headers]]));
      const picture = await visitor.part(`/task/${visitor.task}/grid.png`);
      texts.push(JSON.stringify([[...picture.headers], picture.body.toString("latin1")]));
      const again = await visitor.answer({ text: "XXXXX" });
      texts.push(JSON.stringify([again.body, [...again.headers]]));
    }
    const answer = "BKRTW";
    const forms = [
      answer,
      answer.toLowerCase(),
      Buffer.from(answer).toString("hex"),
      Buffer.from(answer).toString("base64"),
    ];
    for (const form of forms) expect(texts.some((text) => text.includes(form))).toBe(false);
  });

  it("[A38] wrong, late, foreign and unknown answers take the same steps and get the same response", async () => {
    const steps: string[] = [];
    const step = (what: string, key: string) => steps.push(`${what} ${key.split("/")[0]}`);
    const logged = (own: StateStore): StateStore => ({
      put(key, value, ttl, place) {
        step("put", key);
        return own.put(key, value, ttl, place);
      },
      get(key) {
        step("get", key);
        return own.get(key);
      },
      usage: () => own.usage(),
      close: () => own.close(),
      take(key) {
        step("take", key);
        return own.take(key);
      },
    });
    await api.close();
    await open({ states: logged, checkReply: () => step("compare", "") < 0 });
    const other = api.visitor();
    await other.arrive(botTick());
    await other.next("shapes");
    const ways = [
      () => visitor.answer(wrong),
      () => visitor.answer(wrong, trail(), other.task),
      () => visitor.answer(wrong, trail(), "A".repeat(22)),
      () => {
        api.clock.advance(300_000);
        return visitor.answer(wrong);
      },
    ];
    const seen: string[] = [];
    const answers: unknown[] = [];
    for (const way of ways) {
      await visitor.next("shapes");
      steps.length = 0;
      const { status, headers, body } = await way();
      answers.push({ status, body, headers: [...headers].filter(([name]) => name !== "date") });
      seen.push(steps.join(", "));
    }
    expect(new Set(seen)).toEqual(
      new Set(["get session, take session, take task, compare , take part, take part, put session"]),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});
