import { expect, test } from "vitest";
import { Patience } from "../../../compiler/regex/patience.js";

test("five questions may run out of time; the next ones get little, until a minute has passed", () => {
  let now = 0;
  const patience = new Patience(() => now);
  for (let i = 0; i < 5; i++) {
    expect(patience.budget(2_000)).toBe(2_000);
    now += 2_000;
    patience.ranOut();
  }
  expect(patience.budget(2_000)).toBe(100);
  expect(patience.budget(10)).toBe(10);
  patience.ranOut();
  now += 55_000;
  expect(patience.budget(2_000)).toBe(2_000);
});
