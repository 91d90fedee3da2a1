import { expect, test } from "vitest";
import { reachOf } from "../../../compiler/regex/analyse/reach.js";
import { parseRegex } from "../../../compiler/regex/translate.js";

const consumed = (pattern: string) => {
  const node = parseRegex(pattern, "");
  return node && reachOf(node).consumes;
};

test("the reach of a match includes the text of its back references", () => {
  expect(consumed("(ab{1,3})(\\1c)\\2")).toBe(14);
  expect(consumed("(?:a*)?b")).toBe(Number.POSITIVE_INFINITY);
  expect(consumed("(a\\1?)\\1")).toBe(Number.POSITIVE_INFINITY);
});

test("the reach of 100 back references that double with each group is 2^101 - 1", () => {
  const doubled = Array.from({ length: 100 }, (_, i) => `(\\${i + 1}\\${i + 1})`).join("");
  expect(consumed(`(a)${doubled}`)).toBe(2 ** 101 - 1);
});
