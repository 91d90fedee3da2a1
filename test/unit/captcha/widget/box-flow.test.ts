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

/** A box with scripted responses of the service and time under the test's control. */
class Harness {
  readonly sessions: (SessionAnswer | CallError)[] = [];
  readonly scores: (ScoreAnswer | CallError | Promise<ScoreAnswer>)[] = [];
  readonly renewals: CallError[] = [];
  /** Programs with submitted answers. */
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

  /** Resolves after all pending responses. */
  settled = () => new Promise((resolve) => setTimeout(resolve, 0));
  tick = () => this.flow.tick(TELEMETRY);
  types = () => this.posted.map(({ type }) => type);
}

describe("states of the checkbox", () => {
  it("[C21] [C22] a tick opens the dialog and requests the score", async () => {
    const harness = new Harness();
    expect(harness.flow.state).toBe("idle");
    await harness.tick();
    expect(harness.posted[0]).toMatchObject({ type: "open" });
    expect(harness.posted[0]).not.toHaveProperty("ref");
    expect(harness.scored).toEqual(["session-1"]);
  });

  it("the checkbox is verified at a low score and posts the token", async () => {
    const harness = new Harness();
    await harness.tick();
    expect(harness.shown).toEqual(["scoring", "verified"]);
    expect(harness.posted.at(-1)).toEqual({ type: "token", token: "a.b.c", ttl_ms: 300_000 });
  });

  it("the checkbox requests the task frame at a high score and is verified by its token", async () => {
    const harness = new Harness();
    harness.scores.push(TASK);
    await harness.tick();
    expect(harness.posted.at(-1)).toMatchObject({ type: "open", ref: "reference" });
    harness.flow.fromTask({ type: "token", token: "x.y.z", ttl_ms: 1_000 });
    expect(harness.shown).toEqual(["scoring", "task", "verified"]);
    expect(harness.posted.at(-1)).toMatchObject({ type: "token", token: "x.y.z" });
  });

  it("the checkbox ignores a second tick while the first has no outcome and after verification", async () => {
    const harness = new Harness();
    await Promise.all([harness.tick(), harness.tick()]);
    await harness.tick();
    expect(harness.scored).toHaveLength(1);
  });

  it("the checkbox ignores messages of the task frame without a task", async () => {
    const harness = new Harness();
    harness.flow.fromTask({ type: "token", token: "x.y.z", ttl_ms: 1_000 });
    expect(harness.types()).toEqual([]);
    expect(harness.flow.state).toBe("idle");
  });
});

describe("closing", () => {
  it("[H11] closing during the score resets the checkbox, and the late response is ignored", async () => {
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

  it("the task frame decides about closing while there is a task", async () => {
    const harness = new Harness();
    harness.scores.push(TASK);
    await harness.tick();
    harness.flow.dismiss("backdrop");
    expect(harness.dismissed).toEqual(["backdrop"]);
    expect(harness.flow.state).toBe("task");
    harness.flow.fromTask({ type: "close", reason: "backdrop" });
    expect(harness.flow.state).toBe("idle");
  });

  it("closing does not wait for a missing task frame", async () => {
    const harness = new Harness();
    harness.hasTask = false;
    harness.scores.push(TASK);
    await harness.tick();
    harness.flow.dismiss("button");
    expect(harness.flow.state).toBe("idle");
  });

  it("a session that ended under a task is shown as ended, and the next tick works", async () => {
    const harness = new Harness();
    harness.scores.push(TASK);
    await harness.tick();
    harness.flow.fromTask({ type: "close", reason: "stale" });
    expect(harness.flow.state).toBe("ended");
    await harness.tick();
    expect(harness.scored).toEqual(["session-1", "session-2"]);
    expect(harness.flow.state).toBe("verified");
  });

  it("a closed task leaves a new session ready for the next tick", async () => {
    const harness = new Harness();
    harness.scores.push(TASK);
    await harness.tick();
    harness.flow.fromTask({ type: "close", reason: "esc" });
    await harness.tick();
    expect(harness.scored).toEqual(["session-1", "session-2"]);
    expect(harness.flow.state).toBe("verified");
  });
});

describe("faults of the checkbox", () => {
  it("a lost session request is retried after 3, 6 and 12 seconds before the error is shown", async () => {
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

  it("a fault that a retry cannot mend is shown at once", async () => {
    const harness = new Harness();
    harness.flow.stop();
    harness.sessions.push(new CallError("hostname_not_allowed"));
    harness.flow.prepare();
    await expect.poll(() => harness.shown).toEqual(["error: hostname_not_allowed"]);
  });

  it("a failed score closes the dialog, and the next tick works", async () => {
    const harness = new Harness();
    harness.scores.push(new CallError("service_unavailable"));
    await harness.tick();
    expect(harness.types()).toEqual(["open", "close", "error"]);
    expect(harness.shown.at(-1)).toBe("error: service_unavailable");
    await harness.tick();
    expect(harness.flow.state).toBe("verified");
  });

  it("an expired session is replaced once", async () => {
    const harness = new Harness();
    harness.scores.push(new CallError("session_expired"));
    await harness.tick();
    expect(harness.scored).toEqual(["session-1", "session-2"]);
    expect(harness.flow.state).toBe("verified");
  });

  it("a prepared session that is too old is replaced", async () => {
    const harness = new Harness();
    await Promise.resolve();
    harness.now = 1_800_000;
    await harness.tick();
    expect(harness.scored).toEqual(["session-2"]);
  });

  it("a reset with an expired token shows the state expired, and the next tick works", async () => {
    const harness = new Harness();
    await harness.tick();
    harness.flow.reset(true);
    expect(harness.flow.state).toBe("expired");
    await harness.tick();
    expect(harness.scored).toEqual(["session-1", "session-2"]);
    expect(harness.flow.state).toBe("verified");
  });
});

describe("execute in place of a tick", () => {
  const failures = (harness: Harness) =>
    harness.posted.flatMap((message) => (message.type === "failed" ? [message.code] : []));

  it("[V2] each call of execute gets a token of its own", async () => {
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
  ] as const)(
    "[V3] a task that is closed by %s fails the call of execute once with %s",
    async (reason, code) => {
      const harness = new Harness();
      harness.scores.push(TASK);
      harness.flow.execute(TELEMETRY);
      await expect.poll(() => harness.flow.state).toBe("task");
      harness.flow.fromTask({ type: "close", reason });
      expect(failures(harness)).toEqual([code]);
      await harness.tick();
      harness.flow.reset(true);
      expect(failures(harness)).toEqual([code]);
    },
  );

  it("[V3] a fault of the score fails execute, and one that the task frame shows does not", async () => {
    const harness = new Harness();
    harness.scores.push(new CallError("rate_limited"), TASK);
    harness.flow.execute(TELEMETRY);
    await expect.poll(() => failures(harness)).toEqual(["rate_limited"]);
    harness.flow.execute(TELEMETRY);
    await expect.poll(() => harness.flow.state).toBe("task");
    harness.flow.fromTask({ type: "error", code: "network_error", message: "", retryable: true });
    expect(failures(harness)).toEqual(["rate_limited"]);
  });

  it("[V3] a visitor's tick never posts failures", async () => {
    const harness = new Harness();
    harness.scores.push(TASK, new CallError("timeout"));
    await harness.tick();
    harness.flow.fromTask({ type: "close", reason: "stale" });
    await harness.tick();
    expect(failures(harness)).toEqual([]);
  });
});

describe("the session's program", () => {
  it("[B1] the tick uses the first program while that counts", async () => {
    const harness = new Harness();
    await Promise.resolve();
    harness.now = 54_000;
    await harness.tick();
    expect(harness.answered).toEqual(["first of 1"]);
  });

  it("[B4] the tick replaces a program that is too old, and the session stays", async () => {
    const harness = new Harness();
    await harness.settled();
    harness.now = 70_000;
    await harness.tick();
    expect(harness.answered).toEqual(["next of session-1"]);
    expect(harness.scored).toEqual(["session-1"]);
  });

  it("[B4] an approaching visitor renews the program, so that the tick need not wait", async () => {
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

  it("[B4] a renewal in an expired session leads to a new session", async () => {
    const harness = new Harness();
    await harness.settled();
    harness.now = 70_000;
    harness.renewals.push(new CallError("session_expired"));
    await harness.tick();
    expect(harness.scored).toEqual(["session-2"]);
    expect(harness.flow.state).toBe("verified");
  });

  it("[B4] a renewal that failed at the approach is repeated at the tick", async () => {
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
