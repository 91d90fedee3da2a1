import { describe, expect, test } from "vitest";
import { checkRegex, translateReplacement } from "../../../compiler/regex/diagnose.js";
import { maxSyncFilterBytes, type RuleCost, worksInPieces } from "../../../compiler/regex/sync-limits.js";

const BODY = { name: "a body", bytes: 67_108_864, atOnce: 65_536 };

function rule(
  pattern: string,
  replace = "",
  more: { allowSlow?: boolean; captures?: number[] } = {},
): RuleCost {
  const scope = "global";
  const asked = {
    pattern,
    options: "",
    captures: [],
    scope,
    subject: BODY,
    span: undefined,
    ...more,
  } as const;
  const { pace, groups } = checkRegex(asked);
  const parts = translateReplacement(replace, groups);
  if (pace === undefined || !parts.ok) throw new Error(`refused: ${pattern}`);
  return { ...pace, scope, replacement: parts.parts };
}

const atOnce = (...rules: RuleCost[]) => maxSyncFilterBytes(rules);

describe("the sync limit of a filter", () => {
  test.each([
    ["\\s+", " "],
    ["secret=[0-9]{1,20}", "secret=*"],
    ["\\bfoo\\b", "$0!"],
    ["error|warning", ""],
  ])("the sync limit of the common filter %s is above 131,072 bytes", (pattern, replace) => {
    expect(atOnce(rule(pattern, replace))).toBeGreaterThan(131_072);
  });

  test("the sync limit of a filter near the cost limit is between 14,400 and 16,394 bytes", () => {
    // 261 steps a byte, at 2.5 ns: a run begins at every second byte.
    expect(atOnce(rule("<b[^>]{0,120}>"))).toBeLessThan(16_394);
    expect(atOnce(rule("<b[^>]{0,120}>"))).toBeGreaterThan(14_400);
  });

  test("the sync limit of three equal filters is a third of that of one", () => {
    const [one, three] = [rule("<b[^>]{0,120}>"), Array.from({ length: 3 }, () => rule("<b[^>]{0,120}>"))];
    expect(atOnce(...three)).toBeCloseTo(atOnce(one) / 3, -1);
  });

  test("the sync limit counts the growth by a replacement, for later rules too", () => {
    const longer = "x".repeat(1_000);
    expect(atOnce(rule("a", longer))).toBeLessThan(10_000);
    expect(atOnce(rule("a", longer), rule("b"))).toBeLessThan(1_000);
    expect(atOnce(rule("abcdefgh", longer))).toBeGreaterThan(atOnce(rule("a", longer)));
  });

  test("the sync limit is below 3,000 bytes if each match may write 60 bytes behind it", () => {
    expect(atOnce(rule("x(?=(.{0,60}))", "$1", { captures: [1] }))).toBeLessThan(3_000);
  });

  test("the sync limit is below 1,000 bytes if each linear search reads far beyond its match", () => {
    expect(atOnce(rule("x[^y]*y|x"))).toBeLessThan(1_000);
  });

  test("the sync limit is 0 if the cost is unknown", () => {
    expect(atOnce(rule("(a+)+\\1b", "", { allowSlow: true }))).toBe(0);
  });

  test("a filter works in pieces if its sync limit is long enough and exceeds its window", () => {
    expect(worksInPieces(13_000, { window: 123, behind: 0 })).toBe(true);
    expect(worksInPieces(13_000, { window: 60_000, behind: 0 })).toBe(false);
    expect(worksInPieces(900, { window: 1, behind: 0 })).toBe(false);
  });
});
