import type { Counter, Gauge, Histogram, Metrics } from "../../../../runtime/abi/plugin-api.js";
import { TASK_TYPES, type TaskType } from "../../captcha-table.js";

const SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1] as const;
const NONE = { add: () => {}, set: () => {}, observe: () => {} };

export class TaskCounts {
  readonly substitutes: Counter;
  readonly restarts: Counter;
  readonly #seconds: ReadonlyMap<TaskType, Histogram>;
  readonly #ready: ReadonlyMap<TaskType, Gauge>;

  constructor(metrics: Metrics | undefined) {
    this.substitutes =
      metrics?.counter(
        "gw_captcha_task_substitutes_total",
        "Tasks of another kind than requested, because the requested kind was not ready in time.",
        {},
      ) ?? NONE;
    this.restarts =
      metrics?.counter("gw_captcha_task_thread_ends_total", "Exits of the thread that draws tasks.", {}) ??
      NONE;
    this.#seconds = perType((type) =>
      metrics?.histogram("gw_captcha_task_render_seconds", "Time to draw a task.", { type }, SECONDS),
    );
    this.#ready = perType((type) => metrics?.gauge("gw_captcha_tasks_ready", "Prepared tasks.", { type }));
  }

  rendered(type: TaskType, ms: number): void {
    this.#seconds.get(type)?.observe(ms / 1000);
  }

  ready(type: TaskType, count: number): void {
    this.#ready.get(type)?.set(count);
  }
}

function perType<T>(of: (type: TaskType) => T | undefined): ReadonlyMap<TaskType, T> {
  const made = new Map<TaskType, T>();
  for (const type of TASK_TYPES) {
    const one = of(type);
    if (one !== undefined) made.set(type, one);
  }
  return made;
}
