import type { Counter, Metrics } from "../../../../runtime/abi/plugin-api.js";
import type { TaskType } from "../../captcha-table.js";
import type { CaptchaParts, PreparedTask, TaskSource } from "../contract.js";
import { levelOf, type RenderedTask } from "./media.js";
import { type Kind, ReadyTasks } from "./ready-tasks.js";
import type { RenderAnswer, RenderEvents, RenderJob, RenderThread } from "./render-thread.js";

/** Time after which a task of another kind is acceptable. */
const BUDGET_MS = 200;
const DEADLINE_MS = 5_000;
/** Further requests are rejected, so that a flood costs neither memory nor time of earlier ones. */
const MAX_WAITING = 256;
/** Jobs in the thread: one in progress, one next. All others are queued here, urgent ones first. */
const MAX_GIVEN = 2;
/** Timeout: a hundred times the longest drawing, as the thread has a low priority. */
const HANGS_MS = 10_000;
const MAX_REST_MS = 5_000;

const SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1] as const;
const RENDER = "Time to draw a task.";
const SUBSTITUTES = "Tasks of another kind than requested, because the requested kind was not ready in time.";
const ENDS = "Exits of the thread that draws tasks.";

/** A later retry may succeed. */
export class TasksBusyError extends Error {}

export interface PoolOptions {
  start(events: RenderEvents): RenderThread;
  report: CaptchaParts["report"];
  metrics: Metrics;
  /** Default: 5,000. */
  deadlineMs?: number | undefined;
}

interface Waiter extends Kind {
  allowed: readonly TaskType[];
  give(task: PreparedTask): void;
  fail(error: Error): void;
  timer?: NodeJS.Timeout;
}

/** Tasks from a thread: some are ready, the others are made in the order of requests. */
export class TaskPool implements TaskSource {
  readonly #options: PoolOptions;
  readonly #substitutes: Counter;
  readonly #restarts: Counter;
  readonly #ready = new ReadyTasks();
  readonly #waiting = new Set<Waiter>();
  readonly #given = new Map<number, RenderJob>();
  #thread: RenderThread | undefined;
  #id = 0;
  #failures = 0;
  #restart: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { metrics } = options;
    this.#substitutes = metrics.counter("gw_captcha_task_substitutes_total", SUBSTITUTES, {});
    this.#restarts = metrics.counter("gw_captcha_task_thread_ends_total", ENDS, {});
    this.#startThread();
  }

  /** @throws TasksBusyError if there is none in time, or too many requests wait */
  next(type: TaskType, level: number, allowed: readonly TaskType[] = [type]): Promise<PreparedTask> {
    const kind: Kind = { type, level: levelOf(level) };
    if (this.#closed) return Promise.reject(new TasksBusyError("the tasks are closed"));
    const found = this.#ready.take(kind);
    if (found !== undefined) {
      this.#fill();
      return Promise.resolve(found);
    }
    if (this.#waiting.size >= MAX_WAITING) {
      const other = this.#instead({ ...kind, allowed });
      return other ? Promise.resolve(other) : Promise.reject(new TasksBusyError("too many wait for a task"));
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { ...kind, allowed, give: resolve, fail: reject };
      waiter.timer = setTimeout(() => this.#settle(waiter), BUDGET_MS);
      this.#waiting.add(waiter);
      this.#fill();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restart);
    clearTimeout(this.#watch);
    for (const waiter of this.#waiting) this.#leave(waiter).fail(new TasksBusyError("the tasks are closed"));
    await this.#thread?.end();
  }

  /** Takes any other ready task after the budget, otherwise waits on. */
  #settle(waiter: Waiter): void {
    const other = this.#instead(waiter);
    if (other !== undefined) {
      this.#leave(waiter).give(other);
      this.#fill();
      return;
    }
    waiter.timer = setTimeout(
      () => {
        this.#leave(waiter).fail(new TasksBusyError("no task was made in time"));
      },
      (this.#options.deadlineMs ?? DEADLINE_MS) - BUDGET_MS,
    );
  }

  #instead(wanted: Kind & Pick<Waiter, "allowed">): PreparedTask | undefined {
    const task = this.#ready.takeInstead(wanted, wanted.allowed);
    if (task !== undefined) this.#substitutes.add(1);
    return task;
  }

  #leave(waiter: Waiter): Waiter {
    clearTimeout(waiter.timer);
    this.#waiting.delete(waiter);
    return waiter;
  }

  #startThread(): void {
    const mine: { thread?: RenderThread } = {};
    const isCurrent = () => mine.thread === this.#thread && !this.#closed;
    mine.thread = this.#options.start({
      rendered: (answer) => {
        if (isCurrent()) this.#onRendered(answer);
      },
      ended: (reason) => {
        if (isCurrent()) this.#replace(reason);
      },
    });
    this.#thread = mine.thread;
    this.#fill();
  }

  /** Waiting requests in order come first, then ready tasks. */
  #fill(): void {
    while (this.#thread !== undefined && !this.#closed && this.#given.size < MAX_GIVEN) {
      const kind = this.#awaited() ?? this.#ready.wanted((one) => this.#coming(one));
      if (kind === undefined) return;
      const job = { id: this.#id++, type: kind.type, level: kind.level };
      this.#given.set(job.id, job);
      this.#thread.render(job);
      this.#watchOver();
    }
  }

  #awaited(): Kind | undefined {
    const given = [...this.#given.values()];
    for (const waiter of this.#waiting) {
      const at = given.findIndex((job) => isSame(job, waiter));
      if (at < 0) return waiter;
      given.splice(at, 1);
    }
    return undefined;
  }

  #coming(kind: Kind): number {
    return [...this.#given.values()].filter((job) => isSame(job, kind)).length;
  }

  #onRendered({ id, task, ms }: RenderAnswer): void {
    const job = this.#given.get(id);
    if (job === undefined) return;
    this.#given.delete(id);
    this.#failures = 0;
    this.#watchOver();
    const { type } = job;
    const { metrics } = this.#options;
    metrics.histogram("gw_captcha_task_render_seconds", RENDER, { type }, SECONDS).observe(ms / 1_000);
    const prepared = preparedTask(task);
    const waiter = [...this.#waiting].find((one) => isSame(one, job));
    if (waiter) this.#leave(waiter).give(prepared);
    else this.#ready.keep(job, prepared);
    this.#fill();
    metrics.gauge("gw_captcha_tasks_ready", "Prepared tasks.", { type }).set(this.#ready.count(type));
  }

  /** Requests are not lost: the jobs of an ended thread go to the next one. */
  #replace(reason: string): void {
    this.#thread = undefined;
    this.#given.clear();
    clearTimeout(this.#watch);
    this.#restarts.add(1);
    this.#options.report("captcha_task_thread_ended", { reason, waiting: this.#waiting.size });
    const rest = this.#failures === 0 ? 0 : Math.min(MAX_REST_MS, 50 * 2 ** this.#failures);
    this.#failures++;
    this.#restart = setTimeout(() => this.#startThread(), rest);
    this.#restart.unref();
  }

  #watchOver(): void {
    clearTimeout(this.#watch);
    if (this.#given.size === 0) return;
    this.#watch = setTimeout(() => void this.#thread?.end(), HANGS_MS);
    this.#watch.unref();
  }
}

const isSame = (one: Kind, other: Kind): boolean => one.type === other.type && one.level === other.level;

/** Wraps the bytes that the thread transferred. */
export function preparedTask({ type, media, answer }: RenderedTask): PreparedTask {
  return {
    type,
    parts: media.map(({ bytes, ...part }) => ({ ...part, body: Buffer.from(bytes.buffer) })),
    count: countOf(answer),
    answer,
  };
}

function countOf(answer: PreparedTask["answer"]): number {
  switch (answer.type) {
    case "shapes":
      return answer.cells.length;
    case "rings":
      return answer.angles.length;
    case "text":
      return answer.text.length;
    case "audio":
      return answer.groups.length;
  }
}
