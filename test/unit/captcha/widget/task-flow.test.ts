import { describe, expect, it } from "vitest";
import type {
  AnswerAnswer,
  NextAnswer,
  NextRequest,
  TaskShown,
} from "../../../../plugins/captcha/service/protocol.js";
import { CallFault } from "../../../../plugins/captcha/widget/shared/faults.js";
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

class Stand {
  readonly nexts: (NextAnswer | CallFault)[] = [];
  readonly answers: (AnswerAnswer | CallFault | Promise<AnswerAnswer>)[] = [];
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
        if (next instanceof CallFault) throw next;
        return next;
      },
      answer: async (task) => {
        this.sent.push(task);
        const next = await (this.answers.shift() ?? TOKEN);
        if (next instanceof CallFault) throw next;
        return next;
      },
      load: async () => new Map(),
      solve: async ({ id }) => ({ id, answers: [7], ms: 1 }),
      post: (message) => this.posted.push(message),
      view: {
        busy: (why) => this.seen.push(why),
        wait: (seconds) => this.seen.push(`wait ${seconds}`),
        show: (task, _parts, why) => this.seen.push(`${why} ${task.task}`),
        left: (seconds) => this.seen.push(`left ${seconds}`),
        fault: (error, retry) => {
          this.seen.push(`fault ${(error as CallFault).code}`);
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

  /** Passes time to the next timer. */
  pass(): void {
    const [next] = this.timers.sort((a, b) => a.at - b.at);
    if (next === undefined) return;
    this.timers = this.timers.filter((timer) => timer !== next);
    this.now = next.at;
    next.call();
  }

  submit = () => this.flow.submit(REPLY, TRAIL);
}

describe("from task to task", () => {
  it("[C25] shows a new task after every wrong answer, and hands over the token of the right one", async () => {
    const stand = new Stand();
    await stand.flow.next("first");
    for (let i = 0; i < 5; i++) {
      stand.answers.push({ outcome: "again" });
      await stand.submit();
    }
    await stand.submit();
    expect(stand.sent).toEqual(["task-1", "task-2", "task-3", "task-4", "task-5", "task-6"]);
    expect(stand.seen.filter((entry) => entry.startsWith("wrong"))).toHaveLength(5);
    expect(stand.posted).toEqual([{ type: "token", token: "a.b.c", ttl_ms: 1 }]);
  });

  it("works and waits as the service asks before the next task, with the type that was chosen", async () => {
    const stand = new Stand();
    stand.nexts.push(
      { outcome: "pow", pow: { id: "p", salt: "00", bits: 1, n: 1 } },
      { outcome: "wait", wait_ms: 2_500 },
    );
    const ready = stand.flow.next("chosen", "text");
    for (let i = 0; i < 3; i++) {
      await expect.poll(() => stand.timers.length).toBe(1);
      stand.pass();
    }
    await ready;
    expect(stand.asked).toEqual([
      { session: "session", type: "text" },
      { session: "session", type: "text", pow: { id: "p", answers: [7], ms: 1 } },
      { session: "session", type: "text" },
    ]);
    expect(stand.seen).toEqual(["loading", "working", "wait 3", "wait 2", "wait 1", "chosen task-1"]);
  });

  it("[H12] counts the last 30 seconds down, and then quietly gets another task at the next action", async () => {
    const stand = new Stand();
    await stand.flow.next("first");
    stand.pass();
    expect(stand.now).toBe(270_000);
    expect(stand.seen.at(-1)).toBe("left 30");
    while (stand.timers.length > 0) stand.pass();
    expect(stand.seen.slice(-2)).toEqual(["left 1", "left 0"]);
    expect(stand.flow.isLate).toBe(true);
    await stand.submit();
    expect(stand.sent).toEqual([]);
    expect(stand.seen.at(-1)).toBe("late task-2");
  });

  it("waits with closing for the answer that is on its way: right, and there is a token", async () => {
    const stand = new Stand();
    await stand.flow.next("first");
    let answer: (value: AnswerAnswer) => void = () => {};
    stand.answers.push(new Promise((resolve) => (answer = resolve)));
    const sent = stand.submit();
    stand.flow.close("esc");
    expect(stand.posted).toEqual([]);
    answer(TOKEN);
    await sent;
    expect(stand.posted[0]).toMatchObject({ type: "token" });
  });

  it("closes at once while nothing is on its way", async () => {
    const stand = new Stand();
    await stand.flow.next("first");
    stand.flow.close("button");
    expect(stand.posted).toEqual([{ type: "close", reason: "button" }]);
  });

  it("offers the same again after a fault: the same answer, or the next task", async () => {
    const stand = new Stand();
    stand.nexts.push(new CallFault("network_error"));
    await stand.flow.next("first");
    expect(stand.seen.at(-1)).toBe("fault network_error");
    stand.retry();
    await expect.poll(() => stand.seen.at(-1)).toBe("first task-1");
    stand.answers.push(new CallFault("timeout"));
    await stand.submit();
    expect(stand.seen.at(-1)).toBe("fault timeout");
    stand.retry();
    await expect.poll(() => stand.posted).toEqual([{ type: "token", token: "a.b.c", ttl_ms: 1 }]);
    expect(stand.sent).toEqual(["task-1", "task-1"]);
  });

  it("closes when its session is gone, since the box has to start again", async () => {
    const stand = new Stand();
    stand.nexts.push(new CallFault("session_expired"));
    await stand.flow.next("first");
    expect(stand.posted).toEqual([{ type: "close", reason: "stale" }]);
  });

  it("sends one answer however often the button is pressed", async () => {
    const stand = new Stand();
    await stand.flow.next("first");
    await Promise.all([stand.submit(), stand.submit(), stand.submit()]);
    expect(stand.sent).toEqual(["task-1"]);
  });

  it("tries once however often its button is pressed after a fault", async () => {
    const stand = new Stand();
    await stand.flow.next("first");
    stand.answers.push(new CallFault("network_error"), { outcome: "again" }, TOKEN);
    await stand.submit();
    stand.retry();
    stand.retry();
    stand.retry();
    await expect.poll(() => stand.seen.at(-1)).toBe("wrong task-2");
    expect(stand.sent).toEqual(["task-1", "task-1"]);
  });
});

describe("the trail of a task", () => {
  it("keeps times and kinds of at most 30 steps, and no places", () => {
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

  it("takes the stream of a slider that is drawn for one step", () => {
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
