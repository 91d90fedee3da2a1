import { describe, expect, it } from "vitest";
import type {
  AnswerAnswer,
  NextAnswer,
  NextRequest,
  PatienceAnswer,
  PatienceRequest,
  TaskShown,
} from "../../../../plugins/captcha/service/protocol.js";
import { CallError } from "../../../../plugins/captcha/widget/shared/faults.js";
import type { FromTask } from "../../../../plugins/captcha/widget/shared/messages.js";
import { TaskFlow } from "../../../../plugins/captcha/widget/task/flow.js";
import { Trail } from "../../../../plugins/captcha/widget/task/trail.js";

const shown = (task: string): TaskShown => ({
  outcome: "task",
  task,
  type: "shapes",
  parts: [],
  count: 3,
  ttl_ms: 300_000,
  types: ["shapes", "text"],
});
const REPLY = { cells: [1, 2, 3] };
const TRAIL = new Trail(() => 0).take();
const TOKEN: AnswerAnswer = { outcome: "token", token: "a.b.c", ttl_ms: 1 };

class Harness {
  readonly nexts: (NextAnswer | CallError)[] = [];
  readonly answers: (AnswerAnswer | CallError | Promise<AnswerAnswer>)[] = [];
  readonly patiences: (PatienceAnswer | CallError | Promise<PatienceAnswer>)[] = [];
  readonly waited: PatienceRequest[] = [];
  workMs = 1;
  readonly asked: NextRequest[] = [];
  readonly sent: string[] = [];
  readonly posted: FromTask[] = [];
  readonly seen: string[] = [];
  now = 0;
  timers: { at: number; call: () => void }[] = [];
  retry: () => void = () => {};
  #tasks = 0;
  readonly flow: TaskFlow;

  constructor() {
    this.flow = new TaskFlow({
      session: "session",
      next: async (request) => {
        this.asked.push(request);
        const next = this.nexts.shift() ?? shown(`task-${++this.#tasks}`);
        if (next instanceof CallError) throw next;
        return next;
      },
      answer: async (task) => {
        this.sent.push(task);
        const next = await (this.answers.shift() ?? TOKEN);
        if (next instanceof CallError) throw next;
        return next;
      },
      patience: async (request) => {
        this.waited.push(request);
        const next = await (this.patiences.shift() ?? TOKEN);
        if (next instanceof CallError) throw next;
        return next;
      },
      load: async () => new Map(),
      solve: async ({ id }) => {
        this.now += this.workMs;
        return { id, answers: [7], ms: this.workMs };
      },
      post: (message) => this.posted.push(message),
      view: {
        busy: (why) => this.seen.push(why),
        wait: (seconds) => this.seen.push(`wait ${seconds}`),
        show: (task, _parts, why) => this.seen.push(`${why} ${task.task}`),
        ended: () => this.seen.push("ended"),
        left: (seconds) => this.seen.push(`left ${seconds}`),
        patience: ({ left, of, working }) =>
          this.seen.push(`patience ${left}/${of}${working ? " working" : ""}`),
        usedUp: (way, ms, retry) => {
          this.seen.push(`used up ${way} ${ms}`);
          this.retry = retry;
        },
        fault: (error, retry) => {
          this.seen.push(`fault ${(error as CallError).code}`);
          this.retry = retry;
        },
      },
      now: () => this.now,
      after: (ms, call) => {
        const timer = { at: this.now + ms, call };
        this.timers.push(timer);
        return () => {
          this.timers = this.timers.filter((other) => other !== timer);
        };
      },
    });
  }

  /** Advances the time to the next timer. */
  pass(): void {
    const [next] = this.timers.sort((a, b) => a.at - b.at);
    if (next === undefined) return;
    this.timers = this.timers.filter((timer) => timer !== next);
    this.now = next.at;
    next.call();
  }

  /** Advances the time until the promise settles. */
  async passUntil(end: Promise<void>): Promise<void> {
    let ended = false;
    end.finally(() => {
      ended = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (ended) return;
      this.pass();
    }
  }

  submit = () => this.flow.submit(REPLY, TRAIL);
}

describe("from task to task", () => {
  it("[C25] the task frame shows a new task after every wrong answer, and posts the token of the right one", async () => {
    const harness = new Harness();
    await harness.flow.next("first");
    for (let i = 0; i < 5; i++) {
      harness.answers.push({ outcome: "again" });
      await harness.submit();
    }
    await harness.submit();
    expect(harness.sent).toEqual(["task-1", "task-2", "task-3", "task-4", "task-5", "task-6"]);
    expect(harness.seen.filter((entry) => entry.startsWith("wrong"))).toHaveLength(5);
    expect(harness.posted).toEqual([{ type: "token", token: "a.b.c", ttl_ms: 1 }]);
  });

  it("the task frame works and waits as the service demands before the next task, with the chosen type", async () => {
    const harness = new Harness();
    harness.nexts.push(
      { outcome: "pow", pow: { id: "p", salt: "00", bits: 1, n: 1 } },
      { outcome: "wait", wait_ms: 2_500 },
    );
    const ready = harness.flow.next("chosen", "text");
    for (let i = 0; i < 3; i++) {
      await expect.poll(() => harness.timers.length).toBe(1);
      harness.pass();
    }
    await ready;
    expect(harness.asked).toEqual([
      { session: "session", type: "text" },
      { session: "session", type: "text", pow: { id: "p", answers: [7], ms: 1 } },
      { session: "session", type: "text" },
    ]);
    expect(harness.seen).toEqual(["loading", "working", "wait 3", "wait 2", "wait 1", "chosen task-1"]);
  });

  it("[H12] the task frame counts down the last 30 seconds, and gets another task at the next action", async () => {
    const harness = new Harness();
    await harness.flow.next("first");
    harness.pass();
    expect(harness.now).toBe(270_000);
    expect(harness.seen.at(-1)).toBe("left 30");
    while (harness.timers.length > 0) harness.pass();
    expect(harness.seen.slice(-2)).toEqual(["left 1", "left 0"]);
    expect(harness.flow.isLate).toBe(true);
    await harness.submit();
    expect(harness.sent).toEqual([]);
    expect(harness.seen.at(-1)).toBe("late task-2");
  });

  it("the task frame delays closing while an answer is pending, and a right one yields the token", async () => {
    const harness = new Harness();
    await harness.flow.next("first");
    let answer: (value: AnswerAnswer) => void = () => {};
    harness.answers.push(new Promise((resolve) => (answer = resolve)));
    const sent = harness.submit();
    harness.flow.close("esc");
    expect(harness.posted).toEqual([]);
    answer(TOKEN);
    await sent;
    expect(harness.posted[0]).toMatchObject({ type: "token" });
  });

  it("the task frame closes at once while nothing is pending", async () => {
    const harness = new Harness();
    await harness.flow.next("first");
    harness.flow.close("button");
    expect(harness.posted).toEqual([{ type: "close", reason: "button" }]);
  });

  it("the task frame offers the same again after a fault: the same answer or the next task", async () => {
    const harness = new Harness();
    harness.nexts.push(new CallError("network_error"));
    await harness.flow.next("first");
    expect(harness.seen.at(-1)).toBe("fault network_error");
    harness.retry();
    await expect.poll(() => harness.seen.at(-1)).toBe("first task-1");
    harness.answers.push(new CallError("timeout"));
    await harness.submit();
    expect(harness.seen.at(-1)).toBe("fault timeout");
    harness.retry();
    await expect.poll(() => harness.posted).toEqual([{ type: "token", token: "a.b.c", ttl_ms: 1 }]);
    expect(harness.sent).toEqual(["task-1", "task-1"]);
  });

  it("the task frame repeats a request to a busy service twice after the named time, and then asks the visitor", async () => {
    const harness = new Harness();
    const behind = new CallError("service_unavailable", 3_000);
    harness.nexts.push(behind, behind, shown("first"));
    await harness.passUntil(harness.flow.next("first"));
    const waited = ["wait 3", "wait 2", "wait 1"];
    expect(harness.seen).toEqual(["loading", ...waited, ...waited, "first first"]);
    harness.nexts.push(behind, behind, behind);
    await harness.passUntil(harness.flow.next("chosen"));
    expect(harness.seen.slice(8)).toEqual(["loading", ...waited, ...waited, "fault service_unavailable"]);
  });

  it.each(["button", "esc", "backdrop"] as const)(
    "[V7] the task frame shows an expired session and posts stale when %s closes it",
    async (reason) => {
      const harness = new Harness();
      harness.nexts.push(new CallError("session_expired"));
      await harness.flow.next("first");
      expect(harness.seen).toEqual(["loading", "ended"]);
      expect(harness.posted).toEqual([]);
      harness.flow.close(reason);
      expect(harness.posted).toEqual([{ type: "close", reason: "stale" }]);
    },
  );

  it("[V7] the task frame stops countdown and answers once its session has expired", async () => {
    const harness = new Harness();
    await harness.flow.next("first");
    harness.answers.push(new CallError("session_expired"));
    await harness.submit();
    await harness.submit();
    expect(harness.sent).toEqual(["task-1"]);
    harness.now = 300_000;
    for (const timer of harness.timers) timer.call();
    expect(harness.seen).toEqual(["loading", "first task-1", "checking", "ended"]);
  });

  it("the task frame sends one answer however often the button is pressed", async () => {
    const harness = new Harness();
    await harness.flow.next("first");
    await Promise.all([harness.submit(), harness.submit(), harness.submit()]);
    expect(harness.sent).toEqual(["task-1"]);
  });

  it("the task frame retries once however often its button is pressed after a fault", async () => {
    const harness = new Harness();
    await harness.flow.next("first");
    harness.answers.push(new CallError("network_error"), { outcome: "again" }, TOKEN);
    await harness.submit();
    harness.retry();
    harness.retry();
    harness.retry();
    await expect.poll(() => harness.seen.at(-1)).toBe("wrong task-2");
    expect(harness.sent).toEqual(["task-1", "task-1"]);
  });
});

describe("the trail of a task", () => {
  it("a trail holds the times of at most 30 steps, with kind and trusted share", () => {
    let now = 0;
    const trail = new Trail(() => now);
    for (let i = 0; i < 40; i++) {
      now += 400;
      trail.moved();
      trail.step("mouse", i !== 0);
    }
    const taken = trail.take();
    expect(taken.steps).toHaveLength(30);
    expect(taken).toMatchObject({ input: "mouse", trusted: 39 / 40, pointer_samples: 40 });
    expect(taken.steps.slice(0, 2)).toEqual([400, 800]);
  });

  it("a trail counts the stream of a dragged slider as one step", () => {
    let now = 0;
    const trail = new Trail(() => now);
    for (let i = 0; i < 50; i++) {
      now += 16;
      trail.step("touch", true, "outer");
    }
    now += 1_000;
    trail.step("keyboard", true, "outer");
    expect(trail.take()).toMatchObject({ steps: [16, 1_800], input: "mixed" });
  });
});

describe("the way without a puzzle", () => {
  const pow = { id: "p", salt: "0".repeat(32), bits: 4, n: 16 };
  const open = async () => {
    const harness = new Harness();
    await harness.flow.next("first");
    harness.seen.length = 0;
    return harness;
  };

  it("[H41] the way without a puzzle does the work, shows each second of the wait and posts the token", async () => {
    const harness = await open();
    harness.workMs = 1_000;
    harness.patiences.push({ outcome: "pow", pow, wait_ms: 3_000 }, { outcome: "wait", wait_ms: 2_000 });
    await harness.passUntil(harness.flow.patience(TRAIL));
    expect(harness.seen.slice(0, 4)).toEqual([
      "loading",
      "patience 3/3 working",
      "patience 2/3",
      "patience 1/3",
    ]);
    expect(harness.waited.map(({ pow: paid }) => paid?.id)).toEqual([undefined, "p", undefined]);
    expect(harness.posted.at(-1)).toMatchObject({ type: "token", token: "a.b.c" });
  });

  it("[H41] the way without a puzzle continues when the work takes longer than the wait", async () => {
    const harness = await open();
    harness.workMs = 60_000;
    harness.patiences.push({ outcome: "pow", pow, wait_ms: 3_000 });
    await harness.passUntil(harness.flow.patience(TRAIL));
    expect(harness.posted.at(-1)).toMatchObject({ type: "token" });
  });

  it("[H41] the way without a puzzle can be left for a task at any time without later effects", async () => {
    const harness = await open();
    harness.patiences.push({ outcome: "wait", wait_ms: 30_000 });
    const patience = harness.flow.patience(TRAIL);
    await new Promise((resolve) => setImmediate(resolve));
    await harness.flow.next("chosen", "text");
    expect(harness.seen.at(-1)).toMatch(/^chosen task-/);
    await harness.passUntil(patience);
    expect(harness.seen.at(-1)).not.toMatch(/patience/);
    expect(harness.posted).toEqual([]);
    expect(harness.waited).toHaveLength(1);
  });

  it("[H41] a token that arrives while the visitor leaves is posted", async () => {
    const harness = await open();
    let give: (answer: PatienceAnswer) => void = () => {};
    harness.patiences.push(new Promise<PatienceAnswer>((resolve) => (give = resolve)));
    const patience = harness.flow.patience(TRAIL);
    const next = harness.flow.next("chosen");
    give({ outcome: "token", token: "a.b.c", ttl_ms: 1 });
    await Promise.all([patience, next]);
    expect(harness.posted[0]).toMatchObject({ type: "token", token: "a.b.c" });
    // The session handles one call at a time.
    expect(harness.asked).toHaveLength(2);
  });

  it("[H42] an exhausted quota of the way without a puzzle or of sound is shown, and can be retried", async () => {
    const harness = await open();
    harness.patiences.push(new CallError("rate_limited", 300_000));
    await harness.flow.patience(TRAIL);
    expect(harness.seen.at(-1)).toBe("used up patience 300000");
    expect(harness.posted).toEqual([]);
    harness.retry();
    await new Promise((resolve) => setImmediate(resolve));
    expect(harness.posted.at(-1)).toMatchObject({ type: "token" });
    const other = await open();
    other.nexts.push(new CallError("rate_limited", 60_000));
    await other.flow.next("chosen", "audio");
    expect(other.seen.at(-1)).toBe("used up audio 60000");
  });

  it("[H41] [H43] the way without a puzzle repeats a request to a busy service with the same work", async () => {
    const harness = await open();
    harness.patiences.push({ outcome: "pow", pow, wait_ms: 0 }, new CallError("service_unavailable", 3_000));
    await harness.passUntil(harness.flow.patience(TRAIL));
    expect(harness.waited.map(({ pow: paid }) => paid?.id)).toEqual([undefined, "p", "p"]);
    expect(harness.posted.at(-1)).toMatchObject({ type: "token" });
  });

  it("[H41] a press that a script made leads to a task", async () => {
    const harness = await open();
    harness.patiences.push({ outcome: "again" });
    await harness.flow.patience(TRAIL);
    expect(harness.seen.at(-1)).toMatch(/^wrong task-/);
  });
});
