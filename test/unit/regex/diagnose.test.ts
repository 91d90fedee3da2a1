import { describe, expect, test } from "vitest";
import { capturesIn, checkRegex, checkReplacement } from "../../../compiler/regex/diagnose.js";
import { placeInScalar } from "../../../compiler/regex/place.js";

function spanOf(written: string) {
  return { file: "a.yaml", start: { line: 3, column: 10 }, end: { line: 3, column: 10 + written.length } };
}

describe("place inside a scalar", () => {
  test.each([
    ["plain", "a(b", "a(b", 1, 1],
    ["double-quoted", '"a(b"', "a(b", 1, 2],
    ["single-quoted", "'a(b'", "a(b", 1, 2],
    ["with escaped backslashes", '"\\\\d(\\\\d"', "\\d(\\d", 2, 4],
    ["with a doubled quote", "'it''s('", "it's(", 4, 6],
    ["at the end of a quoted text", '"(a"', "(a", 2, 2],
  ])("%s", (_, written, text, offset, column) => {
    const place = placeInScalar(text, offset, spanOf(written));
    expect(place.start).toEqual({ line: 3, column: 10 + column });
    expect(place.end).toEqual({ line: 3, column: 11 + column });
  });

  test("is the whole scalar when its writing cannot be told", () => {
    const written = spanOf('"\\u0028"');
    expect(placeInScalar("(", 0, written)).toBe(written);
  });

  test("is the whole scalar when it spans lines", () => {
    const span = { file: "a.yaml", start: { line: 3, column: 10 }, end: { line: 5, column: 2 } };
    expect(placeInScalar("(", 0, span)).toBe(span);
  });
});

describe("checking a regular expression", () => {
  test("gives the translation and the number of captures", () => {
    const checked = checkRegex({ pattern: "^/a/(\\d+)", options: "jo", span: undefined });
    expect(checked).toEqual({
      regex: { pattern: "^/a/(\\d+)", options: "jo", source: "^\\/a\\/(\\d+)", flags: "", utf8: false },
      groups: 1,
      diagnostics: [],
    });
  });

  test("an exponential pattern has no translation unless the rule allows it", () => {
    const input = { pattern: "^(a+)+$", options: "", span: undefined };
    expect(checkRegex(input)).toMatchObject({ diagnostics: [{ code: "GW4504", severity: "error" }] });
    expect(checkRegex(input).regex).toBeUndefined();
    const allowed = checkRegex({ ...input, allowSlow: true });
    expect(allowed).toMatchObject({ regex: { source: expect.any(String) }, diagnostics: [] });
  });

  test("a pattern whose analysis takes too long is a warning", () => {
    const checked = checkRegex({
      pattern: "(?:a|b)*c(?:d|e)*f*$",
      options: "",
      span: undefined,
      budgetMs: 0,
    });
    expect(checked.diagnostics).toMatchObject([{ code: "GW4508", severity: "warning" }]);
    expect(checked.regex).toBeDefined();
  });

  test("a capture that differs is refused only where it is read", () => {
    const input = { pattern: "(?:(a)|b)+", options: "", span: undefined };
    expect(checkRegex(input)).toMatchObject({ diagnostics: [{ code: "GW4502" }] });
    expect(checkRegex({ ...input, captures: [] })).toMatchObject({ diagnostics: [] });
  });

  test("a long pattern is cut in messages", () => {
    const [finding] = checkRegex({
      pattern: `${"a".repeat(200)}(`,
      options: "",
      span: undefined,
    }).diagnostics;
    expect(finding?.message).toContain(`"${"a".repeat(59)}…"`);
  });
});

describe("replacement texts", () => {
  test.each([
    ["a$1b", [{ literal: "a" }, { capture: 1 }, { literal: "b" }]],
    ["${1}0", [{ capture: 1 }, { literal: "0" }]],
    ["$0", [{ capture: 0 }]],
    ["$$1", [{ literal: "$1" }]],
    ["", []],
  ])("%j", (text, parts) => {
    expect(checkReplacement(text, 1, undefined)).toEqual({ parts, diagnostics: [] });
  });

  test.each([
    ["$x", "GW4506"],
    ["$", "GW4506"],
    ["${1", "GW4506"],
    ["${name}", "GW4506"],
    ["$2", "GW4507"],
  ])("%j is refused", (text, code) => {
    const { parts, diagnostics } = checkReplacement(text, 1, undefined);
    expect(parts).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code, severity: "error" }]);
  });

  test("captures that are read", () => {
    expect(capturesIn("$0 $2 ${10} $$3")).toEqual([2, 10]);
  });
});
