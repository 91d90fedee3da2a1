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

/** A tick with its work done that says what the test says. */
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

/** The outcome of a tick and, where it was a task, what the service made of it. */
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
  it("comes with the session: code, times of samples, a key, a minute", async () => {
    const { body } = await api.visitor().begin();
    expect(body["program"]).toEqual({
      code: expect.stringMatching(/^[A-Za-z0-9+/]{1000,6200}={0,2}$/),
      times: expect.any(Array),
      key: [expect.any(Number), expect.any(Number)],
      ttl_ms: 60_000,
    });
  });

  it("is another one for each session of the same visitor", async () => {
    const visitor = api.visitor();
    const programs: string[] = [];
    for (let i = 0; i < 5; i++) programs.push(JSON.stringify((await visitor.begin()).body["program"]));
    expect(new Set(programs).size).toBe(5);
  });

  it("that a browser has run brings a token; without its answer the same tick brings a task", async () => {
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
  ])("that is answered with %j is missing: a task, no error", async (program) => {
    const { outcome, codes } = await judged(await begun(), { telemetry: telemetry(), program });
    expect({ outcome, codes }).toEqual({ outcome: "task", codes: ["program_missing"] });
  });
});

describe("[B5] whatever the threshold is", () => {
  beforeEach(() => api.configure((next) => (next.siteKeys = [siteKey({ threshold: 1 })])));

  it("no token is free without a program that a browser has run", async () => {
    expect((await judged(await begun(), { telemetry: telemetry() })).outcome).toBe("task");
    expect((await changed((answer) => ({ ...answer, state: "hidden", rows: [] }))).outcome).toBe("task");
    const fine = await begun();
    expect((await judged(fine, fine.seen(telemetry()))).outcome).toBe("token");
  });

  it("a site that never asks for tasks, or only watches, is left alone", async () => {
    api.configure((next) => (next.siteKeys = [siteKey({ challengeMode: "never" })]));
    expect((await judged(await begun(), { telemetry: telemetry() })).outcome).toBe("token");
    api.configure((next) => (next.siteKeys = [siteKey({ shadow: true })]));
    expect((await judged(await begun(), { telemetry: telemetry() })).outcome).toBe("token");
  });
});

describe("[B5] the score of a program", () => {
  it("that a browser got wrong has a floor, and that leads to a task, never to a refusal", async () => {
    const wrong = await changed((answer) => ({ ...answer, rows: answer.rows.map(() => [0]) }));
    expect(wrong).toEqual({ outcome: "task", score: 0.7, codes: ["program_wrong"] });
    const visitor = await begun();
    await send(visitor, { telemetry: telemetry() });
    expect((await visitor.next()).body["outcome"]).toBe("task");
  });

  it("that could not be run is weak: the easiest task", async () => {
    const { outcome, score, codes } = await changed((answer) => ({ ...answer, state: "threw", rows: [] }));
    expect({ outcome, codes }).toEqual({ outcome: "task", codes: ["program_not_run"] });
    expect(score).toBeLessThanOrEqual(0.2);
  });
});

describe("[B3] a run that was recorded", () => {
  it("in another session brings a task: with its digest, with a new one, and with new samples", async () => {
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

  it("counts once in its own session", async () => {
    const visitor = await begun();
    const seen = visitor.seen(telemetry());
    expect((await judged(visitor, seen)).outcome).toBe("token");
    expect((await send(visitor, seen)).body["error"]).toBe("session_expired");
  });
});

describe("[B4] a program that is older than a minute", () => {
  it("counts no more: a task, with weak evidence", async () => {
    const visitor = await begun();
    api.clock.advance(57_000);
    const { outcome, score, codes } = await judged(visitor, visitor.seen(telemetry()));
    expect({ outcome, codes }).toEqual({ outcome: "task", codes: ["program_late"] });
    expect(score).toBeLessThanOrEqual(0.2);
  });

  it("is replaced on demand, with the session's work kept; the one before counts no more", async () => {
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

  it("is given to nobody else, to no session that was ticked, and not without end", async () => {
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
