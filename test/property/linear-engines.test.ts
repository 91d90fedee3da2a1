import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Dialect, IneligibleError, printLinear } from "../../compiler/regex/linear/print.js";
import { parseRegex, translateRegex } from "../../compiler/regex/translate.js";
import { linear, re2 } from "../../runtime/abi/text/linear.js";
import { runs } from "../support/runs.js";
import { options, patterns, subjects } from "../tools/patterns.js";
import { byteString } from "../tools/pcre2.js";

// A linear engine must have the matches, captures and replacements of the backtracking one, which the corpus
// and the live tests compare with pcre2test.

interface Pair {
  backtracking: RegExp;
  onLinear: RegExp;
  utf8: boolean;
}

function pairOf(pattern: string, letters: string, dialect: Dialect): Pair | undefined {
  const whole = byteString(pattern);
  const use = { scope: "global" as const };
  const translated = translateRegex(letters.includes("u") ? pattern : whole, letters, use);
  const node = parseRegex(letters.includes("u") ? pattern : whole, letters);
  if (!translated.ok || node === undefined) return undefined;
  const { source, flags, utf8, groups } = translated;
  if (dialect === "v8" ? utf8 : flags.includes("y")) return undefined;
  try {
    const read = new Set(Array.from({ length: groups }, (_, i) => i + 1));
    const form = printLinear(node, groups, read, dialect, utf8);
    const backtracking = new RegExp(source, `g${flags}`);
    const onLinear =
      dialect === "v8"
        ? linear(backtracking, -1, new RegExp(form.source), form.groups, form.ends)
        : re2(backtracking, -1, form.source, form.groups, form.ends, form.notAtEnd);
    return { backtracking, onLinear, utf8 };
  } catch (error) {
    if (error instanceof IneligibleError) return undefined;
    throw error;
  }
}

/** Texts of short lines with every line end of JavaScript, PCRE or RE2. */
const lines = fc.string({
  unit: fc.constantFrom("a", "b", "\n", "\n", "\r", "\u2028", "\u2029", "\u0085", "\udc80"),
  maxLength: 8,
});

const item = fc.constantFrom(
  ..."a a* a+ a? .* (.*) (.+) (a*) \\s* \\S* [^b]* b (?:a|) (a|b*) \\n \\R \\b".split(" "),
);
const piece = fc.oneof(
  { weight: 4, arbitrary: item },
  { weight: 2, arbitrary: fc.constantFrom("$", "$", "^", "(?:^|b)", "(?:$|b)") },
);
/** Patterns of `^` and `$` around possibly empty parts. */
const linePatterns = fc
  .tuple(
    fc.constantFrom("^", "^", "^", "(^|b)", "(?:^a|^)", "(?:^)?", ""),
    fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join("")),
    fc.constantFrom("", "$", "|b", "|^b", "|$", "\\z"),
  )
  .map((parts) => parts.join(""));

/** Results of a search from each offset of the subject. */
function allOf(pattern: RegExp, subject: string): unknown[] {
  const found = Array.from({ length: subject.length + 1 }, (_, from) => {
    pattern.lastIndex = from;
    const match = pattern.exec(subject);
    return match === null ? null : [match.index, [...match], pattern.lastIndex];
  });
  pattern.lastIndex = 0;
  return [...found, subject.replace(pattern, "<$&$1>"), pattern.lastIndex];
}

describe.each<Dialect>(["v8", "re2"])("a pattern on the linear engine of %s", (dialect) => {
  it("a linear engine matches, captures and replaces as the backtracking one does", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        patterns,
        options,
        fc.array(subjects, { minLength: 4, maxLength: 4 }),
        (pattern, letters, texts) => {
          const pair = pairOf(pattern, letters, dialect);
          if (pair === undefined) return;
          for (const text of texts) {
            const subject = pair.utf8 ? text : byteString(text);
            expect(allOf(pair.onLinear, subject)).toEqual(allOf(pair.backtracking, subject));
            compared++;
          }
        },
      ),
      { numRuns: runs(6_000) },
    );
    expect(compared).toBeGreaterThan(runs(2_000));
  });

  it("a linear engine finds the same lines as the backtracking one, whatever ends them", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        linePatterns,
        fc.constantFrom("m", "m", "ms", "mi", "mu"),
        lines,
        (pattern, letters, text) => {
          const pair = pairOf(pattern, letters, dialect);
          if (pair === undefined) return;
          const subject = pair.utf8 ? text : byteString(text);
          expect(allOf(pair.onLinear, subject)).toEqual(allOf(pair.backtracking, subject));
          compared++;
        },
      ),
      { numRuns: runs(12_000) },
    );
    expect(compared).toBeGreaterThan(runs(dialect === "v8" ? 500 : 3_000));
  });

  it.each([
    ["(\\w+)\\s*$", "", "ab  \n"],
    ["(a+)$|(b+)$", "", "xb\n"],
    ["(.*)/(.*)$", "", "a/b/c\n"],
    ["x$", "m", "x\nx\ny"],
    ["(?:foo$|bar)?", "", "foo\n"],
    ["$", "", "a\n"],
    ["a|ab|abc$", "", "abc\n"],
    ["(?:ab|ac|ad|b)(c?)", "", "acb\nadc"],
  ])(
    "a linear engine has the results of the backtracking one for %j with options %j",
    (pattern, letters, subject) => {
      const pair = pairOf(pattern, letters, dialect);
      if (pair === undefined) throw new Error("it has no linear form");
      expect(allOf(pair.onLinear, subject)).toEqual(allOf(pair.backtracking, subject));
    },
  );
});
