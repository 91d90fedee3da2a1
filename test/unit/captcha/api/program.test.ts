import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProgramAnswer } from "../../../../plugins/captcha/service/protocol.js";
import {
  type Answered,
  CaptchaApi,
  FIREFOX,
  siteKey,
  solve,
  telemetry,
  type Visitor,
} from "../../../support/captcha-api.js";

let api: CaptchaApi;
beforeEach(async () => {
  api = await CaptchaApi.open();
});
afterEach(() => api.close());

/** Sends a tick with its work and the given fields. */
function send(visitor: Visitor, seen: object): Promise<Answered> {
  if (visitor.pow === undefined) throw new Error("no session was begun");
  return visitor.call("/score", { session: visitor.session, pow: solve(visitor.pow), ...seen });
}

async function begun(from: Visitor["from"] = {}): Promise<Visitor> {
  const visitor = api.visitor(from);
  expect((await visitor.begin()).status).toBe(200);
  api.clock.advance(4_000);
  return visitor;
}

interface Judged {
  outcome: unknown;
  score?: number;
  codes?: string[];
}

/** Outcome of a tick and, for a task, its score and reasons. */
async function judged(visitor: Visitor, seen: object): Promise<Judged> {
  const { body } = await send(visitor, seen);
  const outcome = body["outcome"];
  const record = (await api.parts.states.get(`session/${visitor.session}`)) as
    | { tick: { score: number; reasons: { code: string }[] } }
    | undefined;
  if (record === undefined) return { outcome };
  return { outcome, score: record.tick.score, codes: record.tick.reasons.map(({ code }) => code) };
}

type Unsigned = Omit<ProgramAnswer, "digest">;

const changed = async (change: (answer: Unsigned) => Unsigned) => {
  const visitor = await begun();
  return judged(visitor, visitor.seen(telemetry(), { change }));
};

describe("[B1] a session's program", () => {
  it("a new session comes with a program: code, sample times, a key and a life of one minute", async () => {
    const { body } = await api.visitor().begin();
    expect(body["program"]).toEqual({
      code: expect.stringMatching(/^[A-Za-z0-9+/]{1000,6200}={0,2}$/),
      times: expect.any(Array),
      key: [expect.any(Number), expect.any(Number)],
      ttl_ms: 60_000,
    });
  });

  it("each session of a visitor gets another program", async () => {
    const visitor = api.visitor();
    const programs: string[] = [];
    for (let i = 0; i < 5; i++) programs.push(JSON.stringify((await visitor.begin()).body["program"]));
    expect(new Set(programs).size).toBe(5);
  });

  it("a program that a browser has run brings a token, and the same tick without its answer a task", async () => {
    const one = await begun();
    expect(await judged(one, one.seen(telemetry()))).toEqual({ outcome: "token" });
    const two = await begun();
    expect(await judged(two, { telemetry: telemetry() })).toEqual({
      outcome: "task",
      score: 0.7,
      codes: ["program_missing"],
    });
  });

  it.each([
    null,
    7,
    "run",
    [],
    {},
    { state: "run" },
    { state: "ran", rows: [], samples: [[1, 0]], digest: "0".repeat(16) },
    { state: "run", rows: [[1e99]], samples: [[1, 0]], digest: "0".repeat(16) },
    { state: "run", rows: [], samples: [], digest: "0".repeat(16) },
    { state: "run", rows: [], samples: [[1, 0]], digest: "0".repeat(16), more: 1 },
  ])("a program that is answered with %j counts as missing: a task, no error", async (program) => {
    const { outcome, codes } = await judged(await begun(), { telemetry: telemetry(), program });
    expect({ outcome, codes }).toEqual({ outcome: "task", codes: ["program_missing"] });
  });
});

describe("[B5] whatever the threshold is", () => {
  beforeEach(() => api.configure((next) => (next.siteKeys = [siteKey({ threshold: 1 })])));

  it("no token is free without a program that a browser has run, even at threshold 1", async () => {
    expect((await judged(await begun(), { telemetry: telemetry() })).outcome).toBe("task");
    expect((await changed((answer) => ({ ...answer, state: "hidden", rows: [] }))).outcome).toBe("task");
    const fine = await begun();
    expect((await judged(fine, fine.seen(telemetry()))).outcome).toBe("token");
  });

  it("a site with challengeMode never or in shadow mode issues tokens without a program", async () => {
    api.configure((next) => (next.siteKeys = [siteKey({ challengeMode: "never" })]));
    expect((await judged(await begun(), { telemetry: telemetry() })).outcome).toBe("token");
    api.configure((next) => (next.siteKeys = [siteKey({ shadow: true })]));
    expect((await judged(await begun(), { telemetry: telemetry() })).outcome).toBe("token");
  });
});

describe("[B5] the score of a program", () => {
  it("a wrong program result raises the score to 0.7, which leads to a task and not to a rejection", async () => {
    const wrong = await changed((answer) => ({ ...answer, rows: answer.rows.map(() => [0]) }));
    expect(wrong).toEqual({ outcome: "task", score: 0.7, codes: ["program_wrong"] });
    const visitor = await begun();
    await send(visitor, { telemetry: telemetry() });
    expect((await visitor.next()).body["outcome"]).toBe("task");
  });

  it("a program that could not be run is weak evidence and leads to the easiest task", async () => {
    const { outcome, score, codes } = await changed((answer) => ({ ...answer, state: "threw", rows: [] }));
    expect({ outcome, codes }).toEqual({ outcome: "task", codes: ["program_not_run"] });
    expect(score).toBeLessThanOrEqual(0.2);
  });
});

describe("[B3] a run that was recorded", () => {
  it("a recorded run brings a task in another session: with its digest, a new one or new samples", async () => {
    const first = await begun();
    const recorded = first.seen(telemetry());
    expect((await judged(first, recorded)).outcome).toBe("token");
    const second = await begun();
    expect(await judged(second, recorded)).toMatchObject({ outcome: "task", score: 0.95 });
    const third = await begun();
    expect(await judged(third, { ...recorded, telemetry: telemetry() })).toEqual({
      outcome: "task",
      score: 0.7,
      codes: ["program_unbound"],
    });
    const fourth = await begun();
    const signed = fourth.seen(telemetry(), {
      change: (own) => ({ ...own, rows: recorded.program.rows }),
    });
    expect(await judged(fourth, signed)).toMatchObject({ outcome: "task", codes: ["program_wrong"] });
  });

  it("a recorded run counts once in its own session", async () => {
    const visitor = await begun();
    const seen = visitor.seen(telemetry());
    expect((await judged(visitor, seen)).outcome).toBe("token");
    expect((await send(visitor, seen)).body["error"]).toBe("session_expired");
  });
});

describe("[B4] a program that is older than a minute", () => {
  it("a program older than a minute no longer counts and leads to a task with weak evidence", async () => {
    const visitor = await begun();
    api.clock.advance(57_000);
    const { outcome, score, codes } = await judged(visitor, visitor.seen(telemetry()));
    expect({ outcome, codes }).toEqual({ outcome: "task", codes: ["program_late"] });
    expect(score).toBeLessThanOrEqual(0.2);
  });

  it("a program is replaced on demand with the work retained, and its predecessor no longer counts", async () => {
    const visitor = await begun();
    api.clock.advance(600_000);
    const { status, body } = await visitor.renew();
    expect(status).toBe(200);
    expect(body["program"]).toMatchObject({ ttl_ms: 60_000 });
    api.clock.advance(300);
    expect((await judged(visitor, visitor.seen(telemetry()))).outcome).toBe("token");
    const other = await begun();
    await other.renew();
    api.clock.advance(300);
    const former = other.seen(telemetry(), { run: 1 });
    expect((await judged(other, former)).codes).toEqual(["program_unbound"]);
  });

  it("no other browser and no ticked session can renew a program, and its owner can 59 times", async () => {
    const visitor = await begun();
    const foreign = api.visitor({ address: "198.51.100.9", agent: FIREFOX });
    foreign.adopt(visitor);
    expect((await foreign.renew()).body["error"]).toBe("session_expired");
    for (let i = 1; i < 60; i++) expect((await visitor.renew()).status).toBe(200);
    expect((await visitor.renew()).body["error"]).toBe("session_expired");
    const ticked = await begun();
    await send(ticked, { telemetry: telemetry() });
    expect((await ticked.renew()).body["error"]).toBe("session_expired");
    expect((await api.visitor().call("/program", { session: "x" })).status).toBe(400);
  });
});
