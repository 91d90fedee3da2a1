import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ApiOptions,
  botTick,
  CaptchaApi,
  CHROME,
  siteKey,
  trail,
  type Visitor,
} from "../../../support/captcha-api.js";

let api: CaptchaApi;
let visitor: Visitor;
const open = async (options: ApiOptions = {}) => {
  api = await CaptchaApi.open(options);
  visitor = api.visitor();
  await visitor.arrive(botTick());
};
beforeEach(() => open());
afterEach(() => api.close());

const AGAIN = { outcome: "again" };
const TOKEN = { outcome: "token", token: expect.any(String), ttl_ms: expect.any(Number) };
/** A driven hand: the first pick at once, the others at even intervals. */
const robotic = () => trail({ steps: [20, 40, 60, 80], pointer_samples: 0 });
const wrong = { cells: [11, 10, 9] };

describe("an answer", () => {
  it("[C25] a wrong answer leads to another task", async () => {
    const { body: first } = await visitor.next("shapes");
    expect((await visitor.answer(wrong)).body).toEqual(AGAIN);
    const { body: second } = await visitor.next();
    expect(second["outcome"]).toBe("task");
    expect(second["task"]).not.toBe(first["task"]);
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
  });

  it("[A33] an answer counts once: neither a second right one nor a right one after a wrong one passes", async () => {
    await visitor.next("shapes");
    const { task } = visitor;
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
    expect((await visitor.answer(api.tasks.solution())).body["error"]).toBe("session_expired");

    await visitor.arrive(botTick());
    await visitor.next("shapes");
    expect(visitor.task).not.toBe(task);
    expect((await visitor.answer(wrong)).body).toEqual(AGAIN);
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(AGAIN);
  });

  it("[A34] a right answer that is sent twenty times at the same moment yields one token", async () => {
    await visitor.next("shapes");
    const reply = api.tasks.solution();
    const answers = await Promise.all(Array.from({ length: 20 }, () => visitor.answer(reply)));
    const tokens = answers.filter(({ body }) => body["outcome"] === "token");
    expect(tokens).toHaveLength(1);
    expect(api.audit.statistics().total.issued).toBe(1);
  });

  it("[A35] an answer to another session's task is wrong and leaves that task alone", async () => {
    await visitor.next("shapes");
    const reply = api.tasks.solution();
    const other = api.visitor();
    await other.arrive(botTick());
    await other.next("shapes");
    expect((await other.answer(reply, trail(), visitor.task)).body).toEqual(AGAIN);
    expect((await visitor.answer(reply)).body).toEqual(TOKEN);
  });

  it("[A35] [H12] an answer after its time is wrong without a penalty, and the next task comes at once", async () => {
    for (let i = 0; i < 8; i++) {
      await visitor.next("shapes");
      api.clock.advance(300_000);
      expect((await visitor.answer(api.tasks.solution())).body).toEqual(AGAIN);
    }
    expect((await visitor.ask("shapes")).body["outcome"]).toBe("task");
    api.clock.advance(299_999);
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
  });

  it("[H12] an abandoned task is replaced by a new one at the next action, however late", async () => {
    await visitor.next("shapes");
    for (let i = 0; i < 8; i++) {
      api.clock.advance(600_000);
      expect((await visitor.ask("shapes")).body["outcome"]).toBe("task");
    }
  });

  it("[A35] an answer for a site key that was disabled meanwhile is rejected", async () => {
    await visitor.next("shapes");
    api.configure((next) => (next.siteKeys = [siteKey({ enabled: false })]));
    const answer = await visitor.answer(api.tasks.solution());
    expect(answer).toMatchObject({ status: 403, body: { error: "invalid_sitekey" } });
  });

  it.each([
    ["cells beyond the grid", { cells: [0, 1, 12] }, 400],
    ["cells below it", { cells: [-1, 0, 1] }, 400],
    ["cells that are no integers", { cells: [0.5, 1, 2] }, 400],
    ["thirteen cells", { cells: new Array(13).fill(1) }, 400],
    ["three angles", { angles: [1, 2, 3] }, 400],
    ["an angle above a circle", { angles: [361, 0, 0, 0] }, 400],
    ["a text of 65 characters", { text: "x".repeat(65) }, 400],
    ["a reply of two kinds", { cells: [1], text: "x" }, 400],
    ["no reply", undefined, 400],
    ["a prototype", JSON.parse('{"__proto__":{"cells":[1,2,3]}}'), 400],
  ])("[A35] a reply with %s is no answer, and the task survives", async (_what, reply, status) => {
    await visitor.next("shapes");
    expect((await visitor.answer(reply)).status).toBe(status);
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
  });

  it.each([
    ["repeated cells", { cells: [1, 1, 1] }],
    ["too many cells", { cells: [0, 5, 7, 8] }],
    ["too few cells", { cells: [] }],
    ["angles for shapes", { angles: [0, 5, 0, 5] }],
    ["a text for shapes", { text: "0,5,7" }],
  ])("[A35] an answer with %s is wrong", async (_what, reply) => {
    await visitor.next("shapes");
    expect((await visitor.answer(reply)).body).toEqual(AGAIN);
  });

  it("[A46] another browser or network finds neither session nor task, and the owner can still answer", async () => {
    for (const from of [{ agent: CHROME }, { address: "198.51.100.1" }]) {
      await visitor.arrive(botTick());
      await visitor.next("shapes");
      const thief = api.visitor(from);
      thief.session = visitor.session;
      const answer = await thief.answer(api.tasks.solution(), trail(), visitor.task);
      expect(answer.body["error"]).toBe("session_expired");
      expect((await thief.ask("text")).body["error"]).toBe("session_expired");
      expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
    }
  });
});

describe("behaviour during a task", () => {
  it("[C26] [A45] a right answer given like a machine gets another task, at most twice in a session", async () => {
    for (const expected of [AGAIN, AGAIN, TOKEN]) {
      await visitor.next("shapes");
      expect((await visitor.answer(api.tasks.solution(), robotic())).body).toEqual(expected);
    }
  });

  it("[A45] doubts about pace turn down two right answers of a session, whatever comes between them", async () => {
    await visitor.next();
    await visitor.answer(api.tasks.solution(), robotic());
    await visitor.next();
    await visitor.answer({ text: "wrong" }, robotic());
    for (const expected of [AGAIN, TOKEN]) {
      await visitor.next();
      expect((await visitor.answer(api.tasks.solution(), robotic())).body).toEqual(expected);
    }
  });

  it.each([0, 0.99])(
    "[C26] [A45] right answers whose steps a script made (trust %d) never count and end the session after five",
    async (trusted) => {
      for (let i = 0; i < 5; i++) {
        await visitor.next();
        expect((await visitor.answer(api.tasks.solution(), trail({ trusted }))).body).toEqual(AGAIN);
      }
      expect((await visitor.ask()).body["error"]).toBe("session_expired");
      // They count as failed tasks of the network.
      api.configure((next) => (next.siteKeys = [siteKey({ threshold: 0.39 })]));
      expect((await api.visitor().arrive()).body["outcome"]).toBe("task");
      expect((await api.visitor({ address: "198.51.100.1" }).arrive()).body["outcome"]).toBe("token");
    },
  );

  it("[A45] a script's steps raise the price like failures, and a hand's right answer after them counts", async () => {
    for (let i = 0; i < 3; i++) {
      await visitor.next();
      await visitor.answer(api.tasks.solution(), trail({ trusted: 0 }));
    }
    expect((await visitor.ask()).body["outcome"]).toBe("pow");
    await visitor.next();
    expect((await visitor.answer(api.tasks.solution())).body).toEqual(TOKEN);
  });

  it("[A45] the audit names behaviour_retask as the reason of another task", async () => {
    await visitor.next("shapes");
    await visitor.answer(api.tasks.solution(), robotic());
    await visitor.next("shapes");
    const { body } = await visitor.answer(api.tasks.solution());
    const { request_id } = JSON.parse(
      Buffer.from(String(body["token"]).split(".")[1] ?? "", "base64url").toString(),
    );
    const decisions = api.audit.find(request_id)?.decisions ?? [];
    expect(decisions.map(({ decision }) => decision)).toEqual(["task", "again", "token"]);
    expect(decisions[1]?.reasons[0]?.code).toBe("behaviour_retask");
  });

  it("behaviour does not count in shadow mode, nor below the threshold", async () => {
    for (const settings of [{ shadow: true }, { threshold: 0.95 }]) {
      api.configure((next) => (next.siteKeys = [siteKey({ ...settings, challengeMode: "always" })]));
      await visitor.arrive(botTick());
      await visitor.next("shapes");
      expect((await visitor.answer(api.tasks.solution(), robotic())).body).toEqual(TOKEN);
    }
  });

  it("right answers by a keyboard, by a switch and by a screen reader pass", async () => {
    for (const way of [
      trail({ input: "keyboard", pointer_samples: 0, steps: [6_000, 6_900, 8_200] }),
      trail({ input: "assistive", pointer_samples: 0, steps: [4_000, 6_000, 8_000, 10_000] }),
      trail({ input: "keyboard", pointer_samples: 0, steps: [2_000, 2_090, 2_210, 2_290, 2_400] }),
    ]) {
      await visitor.arrive(botTick());
      await visitor.next("text");
      expect((await visitor.answer(api.tasks.solution(), way)).body).toEqual(TOKEN);
    }
  });
});
