import { describe, expect, it } from "vitest";
import type { ScoreAnswer, SessionAnswer, Telemetry } from "../../../../plugins/captcha/service/protocol.js";
import { BoxFlow, type BoxParts } from "../../../../plugins/captcha/widget/box/flow.js";
import { CallError } from "../../../../plugins/captcha/widget/shared/faults.js";
import type { FromBox } from "../../../../plugins/captcha/widget/shared/messages.js";

const TELEMETRY = { v: 1 } as Telemetry;
const TOKEN: ScoreAnswer = { outcome: "token", token: "a.b.c", ttl_ms: 300_000 };
const TASK: ScoreAnswer = { outcome: "task", ref: "reference" };

const programOf = (code: string): SessionAnswer["program"] => ({
  code,
  times: [],
  key: [1, 2],
  ttl_ms: 60_000,
});

/** A box whose service answers what the test says, in order, and whose time the test passes. */
class Harness {
  readonly sessions: (SessionAnswer | CallError)[] = [];
  readonly scores: (ScoreAnswer | CallError | Promise<ScoreAnswer>)[] = [];
  readonly renewals: CallError[] = [];
  /** Programs whose answers were sent. */
  readonly answered: string[] = [];
  readonly posted: FromBox[] = [];
  readonly shown: string[] = [];
  readonly scored: string[] = [];
  readonly dismissed: string[] = [];
  begun = 0;
  now = 0;
  timers: { ms: number; call: () => void }[] = [];
  hasTask = true;
  readonly flow: BoxFlow;

  constructor() {
    const parts: BoxParts = {
      language: "en",
      session: async () => {
        const next = this.sessions.shift();
        if (next instanceof CallError) throw next;
        const pow = { id: "pow", salt: "00", bits: 1, n: 1 };
        const program = programOf(`first of ${++this.begun}`);
        return next ?? { session: `session-${this.begun}`, pow, program, ttl_ms: 1_800_000 };
      },
      score: async ({ session, program }) => {
        this.scored.push(session);
        this.answered.push(program.digest);
        const next = await this.scores.shift();
        if (next instanceof CallError) throw next;
        return next ?? TOKEN;
      },
      solve: async ({ id }) => ({ id, answers: [0], ms: 1 }),
      renew: async (session) => {
        const next = this.renewals.shift();
        if (next instanceof CallError) throw next;
        return { program: programOf(`next of ${session}`) };
      },
      watch: ({ code, ttl_ms }) => {
        const until = this.now + ttl_ms;
        const left = () => until - this.now;
        return {
          get left() {
            return left();
          },
          answer: () => ({ state: "run", rows: [], samples: [], digest: code }),
        };
      },
      post: (message) => this.posted.push(message),
      show: (state, fault) => this.shown.push(fault === undefined ? state : `${state}: ${fault.code}`),
      dismissTask: (reason) => {
        this.dismissed.push(reason);
        return this.hasTask;
      },
      now: () => this.now,
      after: (ms, call) => {
        const timer = { ms, call };
        this.timers.push(timer);
        return () => {
          this.timers = this.timers.filter((other) => other !== timer);
        };
      },
    };
    this.flow = new BoxFlow(parts);
    this.flow.prepare();
  }

  /** All that was asked for has been answered. */
  settled = () => new Promise((resolve) => setTimeout(resolve, 0));
  tick = () => this.flow.tick(TELEMETRY);
  types = () => this.posted.map(({ type }) => type);
}

describe("states of the checkbox", () => {
  it("[C21] [C22] opens the dialog at the tick and has the score computed", async () => {
    const harness = new Harness();
    expect(harness.flow.state).toBe("idle");
    await harness.tick();
    expect(harness.posted[0]).toMatchObject({ type: "open" });
    expect(harness.posted[0]).not.toHaveProperty("ref");
    expect(harness.scored).toEqual(["session-1"]);
  });

  it("is verified at a low score, and hands over the token", async () => {
    const harness = new Harness();
    await harness.tick();
    expect(harness.shown).toEqual(["scoring", "verified"]);
    expect(harness.posted.at(-1)).toEqual({ type: "token", token: "a.b.c", ttl_ms: 300_000 });
  });

  it("asks for the task's frame at a high score, and is verified by it", async () => {
    const harness = new Harness();
    harness.scores.push(TASK);
    await harness.tick();
    expect(harness.posted.at(-1)).toMatchObject({ type: "open", ref: "reference" });
    harness.flow.fromTask({ type: "token", token: "x.y.z", ttl_ms: 1_000 });
    expect(harness.shown).toEqual(["scoring", "task", "verified"]);
    expect(harness.posted.at(-1)).toMatchObject({ type: "token", token: "x.y.z" });
  });

  it("takes no second tick while the first has no outcome, nor when it is verified", async () => {
    const harness = new Harness();
    await Promise.all([harness.tick(), harness.tick()]);
    await harness.tick();
    expect(harness.scored).toHaveLength(1);
  });

  it("believes the task frame only while there is a task", async () => {
    const harness = new Harness();
    harness.flow.fromTask({ type: "token", token: "x.y.z", ttl_ms: 1_000 });
    expect(harness.types()).toEqual([]);
    expect(harness.flow.state).toBe("idle");
  });
});

describe("closing", () => {
  it("[H11] leads from the score back to the start; what the service answers then is not looked at", async () => {
    const harness = new Harness();
    let answer: (score: ScoreAnswer) => void = () => {};
    harness.scores.push(new Promise((resolve) => (answer = resolve)));
    const ticked = harness.tick();
    harness.flow.dismiss("esc");
    answer(TOKEN);
    await ticked;
    expect(harness.flow.state).toBe("idle");
    expect(harness.types()).toEqual(["open", "close"]);
  });

  it("is the task frame's to decide while there is one, which may have an answer on its way", async () => {
    const harness = new Harness();
    harness.scores.push(TASK);
    await harness.tick();
    harness.flow.dismiss("backdrop");
    expect(harness.dismissed).toEqual(["backdrop"]);
    expect(harness.flow.state).toBe("task");
    harness.flow.fromTask({ type: "close", reason: "backdrop" });
    expect(harness.flow.state).toBe("idle");
  });

  it("does not wait for a task frame that never came", async () => {
    const harness = new Harness();
    harness.hasTask = false;
    harness.scores.push(TASK);
    await harness.tick();
    harness.flow.dismiss("button");
    expect(harness.flow.state).toBe("idle");
  });

  it("says so when the session has ended under a task, and the next tick works", async () => {
    const harness = new Harness();
    harness.scores.push(TASK);
    await harness.tick();
    harness.flow.fromTask({ type: "close", reason: "stale" });
    expect(harness.flow.state).toBe("ended");
    await harness.tick();
    expect(harness.scored).toEqual(["session-1", "session-2"]);
    expect(harness.flow.state).toBe("verified");
  });

  it("has a new session ready for the next tick", async () => {
    const harness = new Harness();
    harness.scores.push(TASK);
    await harness.tick();
    harness.flow.fromTask({ type: "close", reason: "esc" });
    await harness.tick();
    expect(harness.scored).toEqual(["session-1", "session-2"]);
    expect(harness.flow.state).toBe("verified");
  });
});

describe("what can go wrong", () => {
  it("tries a session again after 3, 6 and 12 seconds before it says so", async () => {
    const harness = new Harness();
    harness.flow.stop();
    const lost = new CallError("network_error");
    harness.sessions.push(lost, lost, lost, lost);
    harness.flow.prepare();
    for (const ms of [3_000, 6_000, 12_000]) {
      await expect.poll(() => harness.timers.at(-1)?.ms).toBe(ms);
      expect(harness.types()).toEqual([]);
      harness.timers.pop()?.call();
    }
    await expect.poll(() => harness.shown).toEqual(["error: network_error"]);
    expect(harness.posted).toEqual([
      expect.objectContaining({ type: "error", code: "network_error", retryable: true }),
    ]);
  });

  it("says at once what trying again cannot mend", async () => {
    const harness = new Harness();
    harness.flow.stop();
    harness.sessions.push(new CallError("hostname_not_allowed"));
    harness.flow.prepare();
    await expect.poll(() => harness.shown).toEqual(["error: hostname_not_allowed"]);
  });

  it("closes the dialog when the score fails, and the next tick works", async () => {
    const harness = new Harness();
    harness.scores.push(new CallError("service_unavailable"));
    await harness.tick();
    expect(harness.types()).toEqual(["open", "close", "error"]);
    expect(harness.shown.at(-1)).toBe("error: service_unavailable");
    await harness.tick();
    expect(harness.flow.state).toBe("verified");
  });

  it("replaces a session that has gone in the meantime, once", async () => {
    const harness = new Harness();
    harness.scores.push(new CallError("session_expired"));
    await harness.tick();
    expect(harness.scored).toEqual(["session-1", "session-2"]);
    expect(harness.flow.state).toBe("verified");
  });

  it("gets a new session when the prepared one is too old", async () => {
    const harness = new Harness();
    await Promise.resolve();
    harness.now = 1_800_000;
    await harness.tick();
    expect(harness.scored).toEqual(["session-2"]);
  });

  it("starts again when it is reset, and says when that was for the token's end", async () => {
    const harness = new Harness();
    await harness.tick();
    harness.flow.reset(true);
    expect(harness.flow.state).toBe("expired");
    await harness.tick();
    expect(harness.scored).toEqual(["session-1", "session-2"]);
    expect(harness.flow.state).toBe("verified");
  });
});

describe("a page that asks in place of a tick", () => {
  const failures = (harness: Harness) =>
    harness.posted.flatMap((message) => (message.type === "failed" ? [message.code] : []));

  it("[V2] gets a token of its own at each call", async () => {
    const harness = new Harness();
    for (let call = 1; call <= 2; call++) {
      harness.flow.execute(TELEMETRY);
      await expect.poll(() => harness.types().filter((type) => type === "token")).toHaveLength(call);
    }
    expect(harness.scored).toEqual(["session-1", "session-2"]);
    expect(failures(harness)).toEqual([]);
  });

  it.each([
    ["esc", "cancelled"],
    ["stale", "session_ended"],
  ] as const)("[V3] hears once that its task was closed by %s", async (reason, code) => {
    const harness = new Harness();
    harness.scores.push(TASK);
    harness.flow.execute(TELEMETRY);
    await expect.poll(() => harness.flow.state).toBe("task");
    harness.flow.fromTask({ type: "close", reason });
    expect(failures(harness)).toEqual([code]);
    await harness.tick();
    harness.flow.reset(true);
    expect(failures(harness)).toEqual([code]);
  });

  it("[V3] hears of a fault of the score, and of none that the task's frame shows itself", async () => {
    const harness = new Harness();
    harness.scores.push(new CallError("rate_limited"), TASK);
    harness.flow.execute(TELEMETRY);
    await expect.poll(() => failures(harness)).toEqual(["rate_limited"]);
    harness.flow.execute(TELEMETRY);
    await expect.poll(() => harness.flow.state).toBe("task");
    harness.flow.fromTask({ type: "error", code: "network_error", message: "", retryable: true });
    expect(failures(harness)).toEqual(["rate_limited"]);
  });

  it("[V3] hears nothing where a visitor ticked", async () => {
    const harness = new Harness();
    harness.scores.push(TASK, new CallError("timeout"));
    await harness.tick();
    harness.flow.fromTask({ type: "close", reason: "stale" });
    await harness.tick();
    expect(failures(harness)).toEqual([]);
  });
});

describe("the session's program", () => {
  it("[B1] is run at the tick while it counts", async () => {
    const harness = new Harness();
    await Promise.resolve();
    harness.now = 54_000;
    await harness.tick();
    expect(harness.answered).toEqual(["first of 1"]);
  });

  it("[B4] is replaced at the tick when it is too old, with the work that was done", async () => {
    const harness = new Harness();
    await harness.settled();
    harness.now = 70_000;
    await harness.tick();
    expect(harness.answered).toEqual(["next of session-1"]);
    expect(harness.scored).toEqual(["session-1"]);
  });

  it("[B4] is replaced when a visitor comes near, so that the tick need not wait", async () => {
    const harness = new Harness();
    await harness.settled();
    harness.now = 30_000;
    harness.flow.approach();
    await harness.settled();
    harness.renewals.push(new CallError("network_error"));
    harness.now = 80_000;
    await harness.tick();
    expect(harness.answered).toEqual(["next of session-1"]);
  });

  it("[B4] of a session that has gone brings a new session", async () => {
    const harness = new Harness();
    await harness.settled();
    harness.now = 70_000;
    harness.renewals.push(new CallError("session_expired"));
    await harness.tick();
    expect(harness.scored).toEqual(["session-2"]);
    expect(harness.flow.state).toBe("verified");
  });

  it("[B4] whose renewal fails near the box is asked for again at the tick", async () => {
    const harness = new Harness();
    await harness.settled();
    harness.now = 30_000;
    harness.renewals.push(new CallError("network_error"));
    harness.flow.approach();
    await harness.settled();
    harness.now = 70_000;
    await harness.tick();
    expect(harness.answered).toEqual(["next of session-1"]);
  });
});
