import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TASK_TYPES, type TaskType } from "../../../../plugins/captcha/captcha-table.js";
import { drawAnswer } from "../../../../plugins/captcha/service/tasks/render.js";
import type { RenderEvents, RenderJob } from "../../../../plugins/captcha/service/tasks/render-thread.js";
import { TaskPool, TasksBusyError } from "../../../../plugins/captcha/service/tasks/task-pool.js";
import { MetricsRegistry } from "../../../../runtime/abi/metrics-registry.js";
import { filesBelow, read } from "../../../architecture/sources.js";

/** A thread that draws on demand: empty parts with real answers. */
class HeldThread {
  readonly jobs: RenderJob[] = [];
  ended = false;
  readonly #events: RenderEvents;

  constructor(events: RenderEvents) {
    this.#events = events;
  }

  render(job: RenderJob): void {
    this.jobs.push(job);
  }

  async end(): Promise<void> {
    this.crash("it was ended");
  }

  /** Draws up to `count` of its jobs. @returns the drawn ones */
  draw(count = Number.POSITIVE_INFINITY): RenderJob[] {
    const done: RenderJob[] = [];
    for (let job = this.jobs.shift(); job !== undefined; job = this.jobs.shift()) {
      const { id, type, level } = job;
      done.push(job);
      this.#events.rendered({ id, ms: 1, task: { type, media: [], answer: drawAnswer(type, level) } });
      if (done.length === count) break;
    }
    return done;
  }

  crash(reason: string): void {
    if (this.ended) return;
    this.ended = true;
    this.#events.ended(reason);
  }
}

function poolOf() {
  const threads: HeldThread[] = [];
  const reports: string[] = [];
  const pool = new TaskPool({
    start: (events) => {
      const thread = new HeldThread(events);
      threads.push(thread);
      return thread;
    },
    report: (event) => reports.push(event),
    metrics: new MetricsRegistry(),
  });
  const current = () => threads.at(-1) as HeldThread;
  return { pool, threads, reports, current };
}

/** More than all ready tasks: 4, 2 and 2 of each type. */
const ALL_READY = 32;

describe("the source of tasks", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("the task pool draws a bounded number of tasks of each kind ahead, and then stops", async () => {
    const { pool, current } = poolOf();
    expect(current().draw()).toHaveLength(ALL_READY);
    expect(current().draw()).toHaveLength(0);
    for (const type of TASK_TYPES) expect((await pool.next(type, 0)).type).toBe(type);
    expect(current().draw()).toHaveLength(TASK_TYPES.length);
    await pool.close();
  });

  it("the task pool returns a ready task at once and never the same one twice", async () => {
    const { pool, current } = poolOf();
    current().draw();
    const given = await Promise.all([1, 2, 3, 4].map(() => pool.next("rings", 0)));
    expect(new Set(given).size).toBe(4);
    await pool.close();
  });

  it("the task pool gives its thread at most two jobs, however many requests wait", async () => {
    const { pool, current } = poolOf();
    const asked = Array.from({ length: 256 }, () => pool.next("shapes", 0).catch((error) => error));
    expect(current().jobs).toHaveLength(2);
    let drawn = 0;
    while (drawn < 400) {
      expect(current().jobs.length).toBeLessThanOrEqual(2);
      const done = current().draw(1).length;
      if (done === 0) break;
      drawn += done;
    }
    const tasks = await Promise.all(asked);
    expect(tasks.every((task) => task.type === "shapes")).toBe(true);
    // One per request, the jobs in progress and the ready tasks: no other is drawn.
    expect(drawn).toBeLessThanOrEqual(256 + ALL_READY + 2);
    await pool.close();
  });

  it("the task pool rejects a flood instead of queueing it", async () => {
    const { pool } = poolOf();
    const asked = Array.from({ length: 5_000 }, () => pool.next("audio", 0).catch((error) => error));
    const refused = (await Promise.all(asked.slice(256))).filter((error) => error instanceof TasksBusyError);
    expect(refused).toHaveLength(5_000 - 256);
    await pool.close();
    expect((await Promise.all(asked)).every((error) => error instanceof TasksBusyError)).toBe(true);
  });

  it("the task pool returns another allowed type after 200 ms without the requested one", async () => {
    const { pool, current } = poolOf();
    current().draw();
    for (let i = 0; i < 8; i++) await pool.next("shapes", [0, 0, 0, 0, 1, 1, 2, 2][i] ?? 0);
    const late = pool.next("shapes", 0, ["shapes", "rings", "audio"]);
    let given: TaskType | undefined;
    void late.then((task) => {
      given = task.type;
    });
    await vi.advanceTimersByTimeAsync(199);
    expect(given).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(given).toBe("rings");
    await pool.close();
  });

  it("the task pool never returns sound for a picture or a picture for sound", async () => {
    const { pool, current } = poolOf();
    current().draw();
    const kinds = [0, 0, 0, 0, 1, 1, 2, 2];
    for (const level of kinds) {
      await pool.next("audio", level);
      await pool.next("shapes", level);
    }
    const sound = pool.next("audio", 0, TASK_TYPES).catch((error) => error);
    const picture = pool.next("shapes", 0, ["shapes", "audio"]).catch((error) => error);
    current().jobs.length = 0;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await sound).toBeInstanceOf(TasksBusyError);
    expect(await picture).toBeInstanceOf(TasksBusyError);
    await pool.close();
  });

  it("the task pool starts another thread when one ends, and loses no request", async () => {
    const { pool, threads, reports, current } = poolOf();
    const asked = [pool.next("text", 0), pool.next("audio", 1), pool.next("text", 0)];
    current().crash("out of memory");
    expect(reports).toEqual(["captcha_task_thread_ended"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(threads).toHaveLength(2);
    while (current().draw().length > 0);
    expect((await Promise.all(asked)).map((task) => task.type)).toEqual(["text", "audio", "text"]);
    await pool.close();
  });

  it("the task pool backs off while threads end without a task", async () => {
    const { pool, threads, current } = poolOf();
    const starts: number[] = [];
    const begin = Date.now();
    while (Date.now() - begin < 60_000) {
      const known = threads.length;
      current().crash("no such file");
      while (threads.length === known) await vi.advanceTimersByTimeAsync(50);
      starts.push(Date.now() - begin);
    }
    expect(starts.length).toBeLessThan(25);
    expect(starts.length).toBeGreaterThan(10);
    await pool.close();
  });

  it("the task pool replaces a thread that does not respond", async () => {
    const { pool, threads, current } = poolOf();
    const asked = pool.next("shapes", 0, ["shapes"]).catch((error) => error);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await asked).toBeInstanceOf(TasksBusyError);
    await vi.advanceTimersByTimeAsync(5_001);
    expect(threads).toHaveLength(2);
    current().draw();
    expect((await pool.next("shapes", 0)).type).toBe("shapes");
    await pool.close();
  });

  it("a closed task pool has ended its thread and rejects requests", async () => {
    const { pool, current } = poolOf();
    const asked = pool.next("rings", 0).catch((error) => error);
    await pool.close();
    expect(current().ended).toBe(true);
    expect(await asked).toBeInstanceOf(TasksBusyError);
    await expect(pool.next("rings", 0)).rejects.toBeInstanceOf(TasksBusyError);
  });

  it("the event loop loads the renderer only for the fixed task of the test key", () => {
    const drawing = filesBelow("plugins/captcha/service", ".ts").filter((path) =>
      /tasks\/render\.js"|"\.\/render\.js"/.test(read(path)),
    );
    expect(drawing.map((path) => path.replace(/.*\//, "")).sort()).toEqual(["tasks.ts", "worker-thread.ts"]);
  });
});
