import { describe, expect, it } from "vitest";
import { TASK_TYPES } from "../../../../plugins/captcha/captcha-table.js";
import type { TaskAnswer } from "../../../../plugins/captcha/service/contract.js";
import { drawAnswer, LETTERS, MIN_TURN } from "../../../../plugins/captcha/service/tasks/render.js";
import { POSITIONS } from "../../../../plugins/captcha/service/tasks/rings/rings.js";
import { checkReply, TOLERANCE } from "../../../../plugins/captcha/service/tasks/tasks.js";

const TASKS = 20_000;
const all = (type: TaskAnswer["type"], level: 0 | 1 | 2 = 0) =>
  Array.from({ length: TASKS }, () => drawAnswer(type, level));

/**
 * Unevenness of values: chi-square over its degrees of freedom as a standard normal (Wilson and
 * Hilferty). Above 5 once in 3 million runs.
 */
function unevenness(values: readonly (string | number)[], classes: number): number {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  expect(counts.size).toBeLessThanOrEqual(classes);
  const expected = values.length / classes;
  let chi = (classes - counts.size) * expected;
  for (const count of counts.values()) chi += (count - expected) ** 2 / expected;
  const df = classes - 1;
  return ((chi / df) ** (1 / 3) - (1 - 2 / (9 * df))) / Math.sqrt(2 / (9 * df));
}

describe("the answers of tasks", () => {
  it("[A39] all cells and all ordered triples of them are equally likely over 20,000 tasks", () => {
    const answers = all("shapes").map((answer) => (answer.type === "shapes" ? answer.cells : []));
    for (const place of [0, 1, 2])
      expect(
        unevenness(
          answers.map((cells) => cells[place] ?? -1),
          12,
        ),
      ).toBeLessThan(5);
    expect(unevenness(answers.map(String), 12 * 11 * 10)).toBeLessThan(5);
    expect(answers.every((cells) => new Set(cells).size === 3)).toBe(true);
  });

  it("[A39] all angles of all rings are equally likely over 20,000 tasks and independent of each other", () => {
    const answers = all("rings").map((answer) => (answer.type === "rings" ? answer.angles : []));
    const turns = 360 - 2 * MIN_TURN + 1;
    for (const ring of [0, 1, 2, 3])
      expect(
        unevenness(
          answers.map((angles) => angles[ring] ?? -1),
          turns,
        ),
      ).toBeLessThan(5);
    // Pairs are too many to count each: the larger one of a pair is a coin toss.
    expect(unevenness(answers.map(([a = 0, b = 0]) => Math.sign(a - b)).filter(Boolean), 2)).toBeLessThan(5);
  });

  it("[A39] all letters and all counts are equally likely in every place over 20,000 tasks", () => {
    const texts = all("text").map((answer) => (answer.type === "text" ? answer.text : ""));
    for (const place of [0, 1, 2, 3, 4])
      expect(
        unevenness(
          texts.map((text) => text.charAt(place)),
          LETTERS.length,
        ),
      ).toBeLessThan(5);
    const groups = all("audio").map((answer) => (answer.type === "audio" ? answer.groups : []));
    expect(unevenness(groups.map(String), 6 ** 4)).toBeLessThan(5);
  });

  it("[W7] the best blind guess is right in at most 0.2 % of tasks of every type and level", () => {
    // A viewer who sees the positions of a ring's figures, none of which is right, has one fewer to guess.
    const ring = Math.max((2 * TOLERANCE + 1) / (360 - 2 * MIN_TURN + 1), 1 / (POSITIONS - 1));
    const picks = (count: number) =>
      Array.from({ length: count }, (_, i) => 1 / (12 - i)).reduce((a, b) => a * b);
    const chances = {
      shapes: [3, 5, 5].map(picks),
      rings: [4, 5, 5].map((rings) => ring ** rings),
      text: [LETTERS.length ** -5, LETTERS.length ** -5, LETTERS.length ** -6],
      audio: new Array<number>(3).fill(6 ** -4),
    };
    for (const type of TASK_TYPES)
      for (const chance of chances[type]) expect(chance).toBeLessThanOrEqual(0.002);
  });

  it("[W7] a fixed guess is right about as often as the chances predict", () => {
    const right = (type: TaskAnswer["type"], reply: Parameters<typeof checkReply>[1]) =>
      all(type).filter((answer) => checkReply(answer, reply)).length;
    const bound = TASKS * 0.002 + 6 * Math.sqrt(TASKS * 0.002);
    expect(right("shapes", { cells: [5, 6, 1] })).toBeLessThan(bound);
    expect(right("rings", { angles: [180, 180, 180, 180] })).toBeLessThan(bound);
    expect(right("text", { text: "DDDDD" })).toBeLessThan(bound);
    expect(right("audio", { text: "4444" })).toBeLessThan(bound);
  });

  it("no ring is right at first, and harder levels ask for more picks, rings and letters", () => {
    for (const answer of all("rings"))
      if (answer.type === "rings")
        for (const angle of answer.angles) expect(Math.min(angle, 360 - angle)).toBeGreaterThan(TOLERANCE);
    const lengths = ([0, 1, 2] as const).map((level) => [
      (drawAnswer("shapes", level) as { cells: number[] }).cells.length,
      (drawAnswer("rings", level) as { angles: number[] }).angles.length,
      (drawAnswer("text", level) as { text: string }).text.length,
    ]);
    expect(lengths).toEqual([
      [3, 4, 5],
      [5, 5, 5],
      [5, 5, 6],
    ]);
  });
});
