import type { TaskType } from "../../plugins/captcha/captcha-table.js";
import type { PreparedTask, TaskAnswer, TaskSource } from "../../plugins/captcha/service/contract.js";
import type { TaskReply } from "../../plugins/captcha/service/protocol.js";

/** A task source with known answers: two small pictures without drawing. */
export class KnownTasks implements TaskSource {
  readonly asked: { type: TaskType; level: number }[] = [];
  readonly made: PreparedTask[] = [];
  #number = 0;

  async next(type: TaskType, level: number): Promise<PreparedTask> {
    this.asked.push({ type, level });
    const n = this.#number++;
    const answer = knownAnswers[type](n);
    const picture = (name: string) => ({
      name,
      kind: "png" as const,
      width: 4,
      height: 4,
      body: Buffer.from(`${name} ${n}`),
    });
    const parts =
      type === "audio"
        ? [{ name: "sound", kind: "wav" as const, body: Buffer.from(`sound ${n}`) }]
        : [picture("grid"), picture("strip")];
    const count = "cells" in answer ? 3 : "angles" in answer ? 4 : "text" in answer ? 5 : 4;
    const task = { type, parts, count, answer };
    this.made.push(task);
    if (this.made.length > 100) this.made.shift();
    return task;
  }

  /** Reply that solves the latest task. */
  solution(): TaskReply {
    const answer = this.made.at(-1)?.answer;
    if (answer === undefined) throw new Error("no task was made");
    return replyTo(answer);
  }

  async close(): Promise<void> {}
}

const knownAnswers: Record<TaskType, (n: number) => TaskAnswer> = {
  shapes: (n) => ({ type: "shapes", cells: [n % 12, (n + 5) % 12, (n + 7) % 12] }),
  rings: (n) => ({ type: "rings", angles: [30 + (n % 300), 330 - (n % 300), 90, 180] }),
  text: () => ({ type: "text", text: "BKRTW" }),
  audio: (n) => ({ type: "audio", groups: [2 + (n % 6), 3, 4, 7] }),
};

export function replyTo(answer: TaskAnswer): TaskReply {
  if (answer.type === "shapes") return { cells: answer.cells };
  if (answer.type === "rings") return { angles: answer.angles };
  return { text: answer.type === "text" ? answer.text : answer.groups.join("") };
}
