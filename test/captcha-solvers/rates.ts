import { createHash } from "node:crypto";
import type { TaskAnswer } from "../../plugins/captcha/service/contract.js";
import type { Level } from "../../plugins/captcha/service/tasks/media.js";
import { Random } from "../../plugins/captcha/service/tasks/random.js";
import { render } from "../../plugins/captcha/service/tasks/render.js";
import { checkReply } from "../../plugins/captcha/service/tasks/tasks.js";
import { solveRings } from "./rings.js";
import { solveShapes } from "./shapes.js";

export type PictureType = "shapes" | "rings";

/** Solved tasks by strategy, and solved parts of an answer by the best strategy. */
export interface Rate {
  tasks: number;
  right: Record<string, number>;
  /** Share of right picks or rings, by strategy. */
  parts: Record<string, number>;
  /** CPU time of a task in ms. */
  ms: number;
}

/** Rates over a fixed sequence of tasks, with answers as the service draws them. */
export function ratesOf(type: PictureType, level: Level, tasks: number, first = 0): Rate {
  const rate: Rate = { tasks, right: {}, parts: {}, ms: 0 };
  for (let i = first; i < first + tasks; i++) {
    const seed = createHash("sha256").update(`${type} ${level} ${i}`).digest().subarray(0, 16);
    const answer = answerOf(type, level, new Random(seed));
    const task = { type, answer, media: render(answer, level, seed) };
    const begin = process.cpuUsage();
    const replies = answer.type === "shapes" ? solveShapes(task, answer.cells.length) : solveRings(task);
    const { user, system } = process.cpuUsage(begin);
    rate.ms += (user + system) / 1000 / tasks;
    for (const [strategy, reply] of Object.entries(replies)) {
      rate.right[strategy] = (rate.right[strategy] ?? 0) + (checkReply(answer, reply) ? 1 : 0);
      rate.parts[strategy] = (rate.parts[strategy] ?? 0) + shareOf(answer, reply) / tasks;
    }
  }
  return rate;
}

function answerOf(type: PictureType, level: Level, random: Random): TaskAnswer {
  if (type === "rings")
    return { type, angles: Array.from({ length: [4, 5, 5][level] ?? 4 }, () => 25 + random.integer(311)) };
  const cells = random.shuffled(Array.from({ length: 12 }, (_, cell) => cell)).slice(0, [3, 5, 5][level]);
  return { type, cells };
}

function shareOf(answer: TaskAnswer, reply: { cells: number[] } | { angles: number[] }): number {
  if (answer.type === "shapes" && "cells" in reply)
    return answer.cells.filter((cell, i) => reply.cells[i] === cell).length / answer.cells.length;
  if (answer.type === "rings" && "angles" in reply)
    return (
      answer.angles.filter((angle, i) =>
        checkReply({ type: "rings", angles: [angle] }, { angles: [reply.angles[i] ?? 0] }),
      ).length / answer.angles.length
    );
  return 0;
}

/** The strategy with most solved tasks, then with most solved parts. */
export function bestOf({ right, parts }: Rate): string {
  return (
    Object.keys(right).sort(
      (a, b) => (right[b] ?? 0) - (right[a] ?? 0) || (parts[b] ?? 0) - (parts[a] ?? 0),
    )[0] ?? ""
  );
}
