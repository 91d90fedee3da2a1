import type { PreparedTask, TaskAnswer, TaskSource } from "../../../../plugins/captcha/service/contract.js";

/**
 * Tasks as the service draws them, with recorded answers: given to the service in code, so that a test knows
 * the answer and no request can ask for it.
 */
export class KnownTasks implements TaskSource {
  readonly given: PreparedTask[] = [];
  readonly #source: TaskSource;

  constructor(source: TaskSource) {
    this.#source = source;
  }

  async next(...wanted: Parameters<TaskSource["next"]>): Promise<PreparedTask> {
    const task = await this.#source.next(...wanted);
    this.given.push(task);
    return task;
  }

  /** Answer of the latest task. */
  answer(): TaskAnswer {
    const last = this.given.at(-1);
    if (!last) throw new Error("no task has been given");
    return last.answer;
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}
