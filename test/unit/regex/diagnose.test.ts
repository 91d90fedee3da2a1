import { describe, expect, test } from "vitest";
import { offsetToSpan } from "../../../compiler/model/source.js";
import { capturesIn, checkRegex, checkReplacement } from "../../../compiler/regex/diagnose.js";

function spanOf(written: string) {
  return { file: "a.yaml", start: { line: 3, column: 10 }, end: { line: 3, column: 10 + written.length } };
}

describe("the span of an offset inside a scalar", () => {
  test.each([
    ["plain", "a(b", "a(b", 1, 1],
    ["double-quoted", '"a(b"', "a(b", 1, 2],
    ["single-quoted", "'a(b'", "a(b", 1, 2],
    ["with escaped backslashes", '"\\\\d(\\\\d"', "\\d(\\d", 2, 4],
    ["with a doubled quote", "'it''s('", "it's(", 4, 6],
    ["at the end of a quoted text", '"(a"', "(a", 2, 2],
  ])("an offset in a scalar is mapped to its column: %s", (_, written, text, offset, column) => {
    const place = offsetToSpan(text, offset, spanOf(written));
    expect(place.start).toEqual({ line: 3, column: 10 + column });
    expect(place.end).toEqual({ line: 3, column: 11 + column });
  });

  test("the span of an offset is the whole scalar if the spelling contains other escapes", () => {
    const written = spanOf('"\\u0028"');
    expect(offsetToSpan("(", 0, written)).toBe(written);
  });

  test("the span of an offset is the whole scalar if it has several lines", () => {
    const span = { file: "a.yaml", start: { line: 3, column: 10 }, end: { line: 5, column: 2 } };
    expect(offsetToSpan("(", 0, span)).toBe(span);
  });
});

const PATH = { name: "a request target", bytes: 16_384, atOnce: 16_384 };
const BODY = { name: "a body", bytes: 67_108_864, atOnce: 65_536 };

function check(pattern: string, more: Partial<Parameters<typeof checkRegex>[0]> = {}) {
  return checkRegex({ pattern, options: "", subject: PATH, span: undefined, ...more });
}

describe("checking a regular expression", () => {
  test("checkRegex returns the translation, the number of captures, the search cost and the bound", () => {
    expect(check("^/a/(\\d+)", { options: "jo" })).toEqual({
      regex: {
        pattern: "^/a/(\\d+)",
        options: "jo",
        source: "^\\/a\\/(\\d+)",
        flags: "",
        utf8: false,
        engine: "backtracking",
        cost: "linear: at most 4 steps a byte",
      },
      groups: 1,
      // 10 ms at 4 steps of 3 ns a byte.
      pace: { atOnce: 999_996, shortest: 4 },
      bound: { class: "linear", ms: expect.closeTo(0.164, 3) },
      diagnostics: [],
    });
  });

  test.each([
    ["^/shop/(.*)", "backtracking"],
    ["\\s+$", "linear"],
    ["(.*)/(.*)/(.*)/x$", "linear"],
    ["^(a+)+$", "linear"],
    ["<script[^>]*>[^\\n]*?</script>", "linear"],
    ["\\w+.{0,40}y\\s*$", "re2"],
    ["(?:é+)+$", "linear"],
  ])("%j on a path runs on the %s engine", (pattern, engine) => {
    expect(check(pattern).regex?.engine).toBe(engine);
  });

  test("a slow pattern with option u, which V8's linear engine lacks, runs on re2js", () => {
    expect(check("(?:é+)+$", { options: "u" }).regex?.engine).toBe("re2");
  });

  test.each([
    ["^(?:a|aa)*$", true],
    ["(?:^|;)(?:a|aa)*$", true],
    ["\\n^(?:a|aa)*b", undefined],
  ])("the pattern %j with option m runs on re2js with notAtEnd %s", (pattern, notAtEnd) => {
    const { engine, linear } = check(pattern, { options: "m" }).regex ?? {};
    expect([engine, linear?.notAtEnd]).toEqual(["re2", notAtEnd]);
  });

  test.each([
    ["(?:a|aa)*^(?:a|aa)*$", "m"],
    ["^|(?:a|aa)*$", "m"],
    ["^(?:a|aa)*$", "mu"],
  ])(
    "GW4504 suggests another spelling for %j with options %s, whose end re2js sees unlike PCRE",
    (pattern, options) => {
      const [finding] = check(pattern, { options }).diagnostics;
      expect(finding).toMatchObject({
        code: "GW4504",
        message: expect.stringContaining("(write .+ for .*)"),
      });
    },
  );

  test("a pattern runs on the backtracking engine for a short subject and on the linear one for a long one", () => {
    const short = { name: "a short value", bytes: 256, atOnce: 256 };
    expect(check("\\s+$", { subject: short }).regex?.engine).toBe("backtracking");
    expect(check("\\s+$", { subject: BODY }).regex?.engine).toBe("linear");
  });

  test("a slow pattern that no linear engine runs is an error unless the rule allows it", () => {
    const pattern = "^(?!x)(a+)+$";
    expect(check(pattern)).toMatchObject({ diagnostics: [{ code: "GW4504", severity: "error" }] });
    expect(check(pattern).regex).toBeUndefined();
    const allowed = check(pattern, { allowSlow: true });
    expect(allowed).toMatchObject({ regex: { engine: "backtracking" }, diagnostics: [] });
  });

  test("a pattern that the analysis gives up on counts as slow", () => {
    const budget = { left: 0 };
    expect(check("^a*b(?=c)", { budget })).toMatchObject({ diagnostics: [{ code: "GW4504" }] });
    expect(check("^a*b", { budget }).regex?.engine).toBe("linear");
  });

  test("a repeated analysis uses the same amount of the budget as the first one", () => {
    const spent = [1, 2].map(() => {
      const budget = { left: 1_000_000 };
      check("(.*)/(.*)/(.*)/y$", { budget });
      return budget.left;
    });
    expect(spent[0]).toBeLessThan(1_000_000);
    expect(spent[1]).toBe(spent[0]);
  });

  test("GW4509 reports a pattern that is too long, with its length and the limit", () => {
    const message = "the regex has 60000 characters; the limit is 8192";
    expect(check("a".repeat(60_000))).toMatchObject({ diagnostics: [{ code: "GW4509", message }] });
  });

  test("GW4510 reports once that the patterns of a resource are too many or too long, with number and limit", () => {
    const many = { left: 4_000_000, size: { patterns: 1_500, characters: 0 } };
    const message = "the regexes of this resource are too large: this is pattern 1501; the limit is 1500";
    expect(check("a", { budget: many })).toMatchObject({ diagnostics: [{ code: "GW4510", message }] });
    expect(check("a", { budget: many })).toEqual({ groups: 0, diagnostics: [] });
    const long = { left: 4_000_000, size: { patterns: 3, characters: 131_072 } };
    expect(check("a", { budget: long }).diagnostics[0]?.message).toMatch(
      /have 131073 characters up to here; the limit is 131072$/,
    );
  });

  test("GW4508 reports a pattern whose translation is too long for V8 to compile", () => {
    const calls = `(${"a".repeat(60)})${"(?1)".repeat(400)}`;
    expect(check(calls)).toMatchObject({ diagnostics: [{ code: "GW4508", severity: "error" }] });
  });

  test("GW4502 reports a capture that differs from PCRE only if it is read", () => {
    expect(check("(?:(a)|b)+")).toMatchObject({ diagnostics: [{ code: "GW4502" }] });
    expect(check("(?:(a)|b)+", { captures: [] })).toMatchObject({ diagnostics: [] });
  });

  test("a long pattern is cut in messages", () => {
    const [finding] = check(`${"a".repeat(200)}(`).diagnostics;
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
  ])("the replacement %j is split into literals and captures", (text, parts) => {
    expect(checkReplacement(text, 1, undefined)).toEqual({ parts, diagnostics: [] });
  });

  test.each([
    ["$x", "GW4506"],
    ["$", "GW4506"],
    ["${1", "GW4506"],
    ["${name}", "GW4506"],
    ["$2", "GW4507"],
  ])("the replacement %j is rejected", (text, code) => {
    const { parts, diagnostics } = checkReplacement(text, 1, undefined);
    expect(parts).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code, severity: "error" }]);
  });

  test("capturesIn lists the captures that a replacement reads, without $0 and escaped ones", () => {
    expect(capturesIn("$0 $2 ${10} $$3")).toEqual([2, 10]);
  });
});
