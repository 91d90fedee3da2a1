import { describe, expect, it } from "vitest";
import type { TaskAnswer } from "../../../../plugins/captcha/service/contract.js";
import {
  checkReply,
  circularDifference,
  TOLERANCE,
} from "../../../../plugins/captcha/service/tasks/tasks.js";

const rings = (...angles: number[]): TaskAnswer => ({ type: "rings", angles });

describe("the comparison of replies", () => {
  it("[A40] the circle closes: 359 and 1 are two degrees apart, either way round", () => {
    expect(circularDifference(359, 1)).toBe(2);
    expect(circularDifference(1, 359)).toBe(2);
    expect(checkReply(rings(357, 3), { angles: [3, 357] })).toBe(true);
    expect(checkReply(rings(3, 357), { angles: [357, 3] })).toBe(true);
    expect(checkReply(rings(180, 0), { angles: [180, 360] })).toBe(true);
    expect(checkReply(rings(10, 200), { angles: [10 + 360 * 3, 200 - 360] })).toBe(true);
  });

  it("[A40] [W11] the tolerance is the same to either side of every angle, bounds included", () => {
    const wrong: string[] = [];
    for (let wanted = 0; wanted < 360; wanted++)
      for (let off = 0; off <= 180; off++)
        for (const turned of [(wanted + off) % 360, (wanted - off + 360) % 360])
          for (const [answer, angles] of [
            [rings(wanted, 90), [turned, 90]],
            [rings(90, wanted), [90, turned]],
          ] as [TaskAnswer, number[]][])
            if (checkReply(answer, { angles }) !== off <= TOLERANCE) wrong.push(`${wanted} ${turned}`);
    expect(wrong).toEqual([]);
  });

  it("[W11] all angles count, in their order and number", () => {
    expect(checkReply(rings(40, 200), { angles: [200, 40] })).toBe(false);
    expect(checkReply(rings(40, 200), { angles: [40, 221] })).toBe(false);
    expect(checkReply(rings(40, 200), { angles: [40] })).toBe(false);
    expect(checkReply(rings(40, 200), { angles: [40, 200, 0] })).toBe(false);
    expect(checkReply(rings(40, 200), { angles: [20, 220] })).toBe(true);
  });

  it("a shapes answer needs all cells in their order", () => {
    const answer: TaskAnswer = { type: "shapes", cells: [7, 0, 4] };
    expect(checkReply(answer, { cells: [7, 0, 4] })).toBe(true);
    for (const cells of [[0, 7, 4], [7, 0], [7, 0, 4, 4], [], [7, 0, 5], [7, 0, Number.NaN]])
      expect(checkReply(answer, { cells })).toBe(false);
  });

  it("a text answer accepts letters in any case and width, with spaces, and no others", () => {
    const answer: TaskAnswer = { type: "text", text: "DFGJL" };
    for (const text of ["DFGJL", "dfgjl", " dF gJl\t", "ＤＦＧＪＬ", "ⓓⒻgjl"])
      expect(checkReply(answer, { text })).toBe(true);
    for (const text of ["", "DFGJ", "DFGJLL", "DFGJN", "D-FGJL", "x".repeat(10_000), `DFGJL${"\0"}`])
      expect(checkReply(answer, { text })).toBe(false);
  });

  it("a sound answer accepts digits with anything between them", () => {
    const answer: TaskAnswer = { type: "audio", groups: [3, 5, 2, 7] };
    for (const text of ["3 5 2 7", "3527", "3,5,2,7", "3-5-2-7.", "３ ５ ２ ７", "3; 5; 2; 7"])
      expect(checkReply(answer, { text })).toBe(true);
    for (const text of ["352", "35277", "3 5 7 2", "", "three five two seven"])
      expect(checkReply(answer, { text })).toBe(false);
  });

  it("a reply of another type is wrong, whatever it contains", () => {
    const answers: TaskAnswer[] = [
      { type: "shapes", cells: [1, 2] },
      rings(1, 2),
      { type: "text", text: "12" },
      { type: "audio", groups: [1, 2] },
    ];
    const replies = [{ cells: [1, 2] }, { angles: [1, 2] as [number, number] }, { text: "12" }];
    const right = answers.map((answer) => replies.filter((reply) => checkReply(answer, reply)).length);
    expect(right).toEqual([1, 1, 1, 1]);
    for (const answer of answers)
      for (const hostile of [{}, { cells: "12" }, { angles: null }, { text: 12 }, { angles: ["1", "2"] }])
        expect(checkReply(answer, hostile as never)).toBe(false);
  });
});
