import { describe, expect, test } from "vitest";
import { checkRegex } from "../../../compiler/regex/diagnose.js";
import { loadOf } from "../../../compiler/regex/linear/load.js";
import { parseRegex } from "../../../compiler/regex/translate.js";

const BODY = { name: "a body", bytes: 1_000_000, atOnce: 65_536 };

function loadOfPattern(pattern: string, options: string): number {
  const node = parseRegex(pattern, options);
  if (node === undefined) throw new Error("not a pattern");
  return loadOf(node);
}

/** Returns classes that each exclude `width` different characters, no two of them adjacent. */
function differentClasses(count: number, width = 1): string {
  const character = (i: number) => String.fromCodePoint(0x10000 + 2 * i);
  return Array.from({ length: count }, (_, i) => {
    const own = Array.from({ length: width }, (_, j) => character(i * width + j));
    return `[^${own.join("")}]`;
  }).join("");
}

describe("the load of a linear engine", () => {
  test.each([
    ["", "", 1],
    ["abc", "", 5],
    ["[a-f]{1,20}x", "", 62],
    [".*(?:ab|cd)", "", 11],
    ["\\b[^;]{1,200};", "", 804],
    [differentClasses(40), "u", 82],
  ])("the load of %j with options %j is %i", (pattern, options, load) => {
    expect(loadOfPattern(pattern, options)).toBe(load);
  });

  test("the load of a thousand different classes is 2,002", () => {
    expect(loadOfPattern(differentClasses(1_000), "u")).toBe(2_002);
  });

  test("the load of 3,000 different classes of two characters has no bound", () => {
    expect(loadOfPattern(differentClasses(3_000, 2), "u")).toBe(Number.POSITIVE_INFINITY);
  });

  test("a pattern whose load has no bound is rejected, or runs on the linear engine with allow_slow", () => {
    const pattern = `${"a".repeat(4_100)}.*b.*c$`;
    const input = { pattern, options: "", captures: [], subject: BODY, span: undefined };
    const { diagnostics } = checkRegex(input);
    expect(diagnostics).toMatchObject([{ code: "GW4504" }]);
    expect(diagnostics[0]?.message).toContain("the linear engine has no known bound");
    expect(checkRegex({ ...input, allowSlow: true })).toMatchObject({
      regex: { engine: "linear" },
      bound: { class: "linear", ms: null },
      diagnostics: [],
    });
  });
});
