import { expect, test } from "vitest";
import { reachOf } from "../../../compiler/regex/analyse/reach.js";
import { parseRegex } from "../../../compiler/regex/translate.js";

const consumed = (pattern: string) => {
  const node = parseRegex(pattern, "");
  return node && reachOf(node).consumes;
};

test("a match consumes what the groups of its back references do", () => {
  expect(consumed("(ab{1,3})(\\1c)\\2")).toBe(14);
  expect(consumed("(?:a*)?b")).toBe(Number.POSITIVE_INFINITY);
  expect(consumed("(a\\1?)\\1")).toBe(Number.POSITIVE_INFINITY);
});

test("texts of back references that double with each group are measured group by group", () => {
  const doubled = Array.from({ length: 100 }, (_, i) => `(\\${i + 1}\\${i + 1})`).join("");
  expect(consumed(`(a)${doubled}`)).toBe(2 ** 101 - 1);
});
