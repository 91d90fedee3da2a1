import { expect, it } from "vitest";
import { guardLines } from "../../bench/guard.js";
import { GUARD_LINES, type Line } from "../../bench/lines.js";
import type { LineResult } from "../../bench/proxy.js";

const [line] = GUARD_LINES as [Line];
const measured = (rounds: number[]) => ({
  ...{ user: 0, system: 0, total: 0, requestsPerSecond: 0, failed: 0 },
  rounds,
});
const result = (ours: number[], base: number[]): LineResult => ({
  line,
  peers: new Map([
    ["gwc", measured(ours)],
    ["gwc of the base", measured(base)],
  ]),
});

it("the guard fails if a line is more than 10 % slower than its base in all rounds", () => {
  const told: string[] = [];
  expect(guardLines([result([112, 115, 111], [100, 100, 100])], (text) => told.push(text))).toBe(false);
  expect(told).toEqual([`TOO SLOW: ${line.name}: 1.12 1.15 1.11 × CPU time of the base, allowed 1.1 once`]);
});

it("the guard passes if one round is within 10 %, since a busy minute slows some rounds", () => {
  expect(guardLines([result([150, 109, 150], [100, 100, 100])], () => {})).toBe(true);
});

it("the guard fails if nothing was measured or the base lacks a round", () => {
  expect(guardLines([{ line, peers: new Map() }], () => {})).toBe(false);
  expect(guardLines([result([150, 150, 150], [])], () => {})).toBe(false);
  expect(guardLines([result([150, 150, 150], [100, 100])], () => {})).toBe(false);
  expect(guardLines([], () => {})).toBe(false);
});
