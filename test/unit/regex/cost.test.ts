import { describe, expect, test } from "vitest";
import { analyseCost, COST_BUDGET } from "../../../compiler/regex/cost.js";

const LINEAR = [
  "^/api/v1/users/(\\d+)/(.*)",
  '"password":"[^"]*"',
  "(?<=token=)[^&]+",
  "\\b(?:\\d{4}[ -]?){3}\\d{4}\\b",
  "^(?:[a-z0-9-]+\\.)+[a-z]{2,}$",
  "^/shop/(.*)\\.html$",
  "^/([^/]+)/(.*)/edit",
  "^(a++)+$",
  "^(?>a+)+$",
  "(?:(?!a)\\w|a)+\\z",
  "^[a-z]{1,63}(?:\\.[a-z]{1,63}){0,10}$",
  "error|warning",
  "",
];

describe("cost of a pattern", () => {
  test.each(LINEAR)("%j is linear", (pattern) => {
    expect(analyseCost(pattern, "", COST_BUDGET)).toEqual({ kind: "linear" });
  });

  test.each(["\\s+$", "a*b", "^.*a.*b.*$", "^.*a[^b]*c", "<(\\w+)>.*?</\\1>"])(
    "%j is polynomial",
    (pattern) => {
      expect(analyseCost(pattern, "", COST_BUDGET)).toMatchObject({ kind: "polynomial" });
    },
  );

  test.each([
    "^(a+)+$",
    "(a|aa)+$",
    "(\\w+\\s*)+:$",
    "^(?:a?){30}a{30}$",
    "(?=(a+)+b)a",
    "x(?>(?:a+)+b)c",
    "(a{1,20}){1,20}b",
    "(?<=x)(a+)+$",
    "^(?=.*[A-Z])(?=.*\\d)(a+)+$",
    "(?<=<b>)(?:\\w|\\d)+(?=</b>)",
  ])("%j is exponential and out of the linear engine's reach", (pattern) => {
    const cost = analyseCost(pattern, "", COST_BUDGET);
    expect(cost).toMatchObject({ kind: "exponential", linearEngine: false });
  });

  test.each(["^(a+)+\\z", "(x+x+)+y", "(\\w+\\s*)+:"])(
    "%j is exponential, but the linear engine can run it",
    (pattern) => {
      expect(analyseCost(pattern, "", COST_BUDGET)).toMatchObject({
        kind: "exponential",
        linearEngine: true,
      });
    },
  );

  test("a pattern too involved for the analyser is judged by its loops", () => {
    const involved = Array.from(
      { length: 60 },
      (_, i) => `(?:[^${String.fromCharCode(97 + (i % 26))}]*x){0,9}`,
    );
    const cost = analyseCost(`id=(\\w+\\s*)+:${involved.join("")}$`, "", 50);
    expect(cost).toMatchObject({ kind: "exponential", attack: expect.stringContaining("'id=' + ") });
    expect(analyseCost(`id=\\w+:${involved.join("")}$`, "", 50)).toMatchObject({ kind: "unknown" });
  });

  test("a pattern too deep for the analyser is unknown", () => {
    const pattern = `${"(?:".repeat(200)}a${")*".repeat(200)}`;
    expect(analyseCost(pattern, "", COST_BUDGET)).toMatchObject({ kind: "unknown" });
  });

  test("an attack string is JavaScript that builds the text", () => {
    const cost = analyseCost("^(b+)+$", "i", COST_BUDGET);
    expect(cost).toMatchObject({ kind: "exponential", attack: expect.stringContaining(".repeat(") });
  });

  test("a pattern is judged once", () => {
    const first = analyseCost("(ab+)+c$", "", COST_BUDGET);
    expect(analyseCost("(ab+)+c$", "", COST_BUDGET)).toBe(first);
  });
});
