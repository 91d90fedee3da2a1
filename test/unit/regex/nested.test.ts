import { expect, test } from "vitest";
import { reachOf } from "../../../compiler/regex/analyse/reach.js";
import { worstCase } from "../../../compiler/regex/engine.js";
import { parseRegex, translateRegex } from "../../../compiler/regex/translate.js";

/** Nesting depth at which an analysis with two calls per level never ends. */
const LEVELS = 40;

function nested(open: string, leaf: string, close: string): string {
  return open.repeat(LEVELS) + leaf + close.repeat(LEVELS);
}

/** Returns references of which each compares twice the text of the previous one. */
function doubling(reference: (group: number) => string): string {
  return Array.from({ length: LEVELS }, (_, i) => `(${reference(i + 1)}${reference(i + 1)})`).join("");
}

const translated = (pattern: string) => translateRegex(pattern, "", { captures: [] });

test.each([
  [`x*${nested("(?>", "a?", ")")}y`],
  [`x*${nested("(?:", "a?", ")?+")}y`],
  [`x*${nested("(?>b", "a*", ")")}y`],
  [nested("(?>(?:", "a", ")*)")],
  [nested("(?:", "a{1,3}", ")++")],
  [nested("(?=", "a*", ")")],
  [nested("(?:", "a", ")?")],
  [`x*${"(?:a?|b?)".repeat(LEVELS)}y`],
  [`x*${"(?:a?)?".repeat(LEVELS)}y`],
  [nested("(?:", "\\b", "){9}")],
  ["(?:(?:(?:\\b){999}){999}){999}"],
])("the pattern %s is translated, and its reach and worst case are computed", (pattern) => {
  expect(translated(pattern)).toMatchObject({ ok: true });
  const node = parseRegex(pattern, "");
  if (node === undefined) throw new Error("it is not parsed");
  expect(reachOf(node).consumes).toBeGreaterThanOrEqual(0);
  expect(worstCase(node).parts.length).toBeGreaterThan(0);
});

test("a look-behind measures each group that it refers to once", () => {
  const short = "(a)(\\1\\1)(\\2\\2)";
  expect(translated(`${short}(?<=\\3)`)).toMatchObject({ ok: true });
  const reason = "lookbehind assertion is too long";
  expect(translated(`(?<=(a)${doubling((group) => `\\${group}`)})`)).toMatchObject({ ok: false, reason });
  expect(translated(`(?<=(a)${doubling((group) => `(?${group})`)})`)).toMatchObject({ ok: false, reason });
  const branches = Array.from({ length: LEVELS }, (_, i) => `(\\${i + 1}|\\${i + 1})`).join("");
  expect(translated(`(?<=(a|bc)${branches})`)).toMatchObject({
    reason: expect.stringContaining("fixed length"),
  });
});

test("nested conditions have a limit, since the translation doubles the text at each level", () => {
  const conditions = (levels: number) => `${"(?(?=".repeat(levels)}a${")a|b)".repeat(levels)}`;
  expect(translated(conditions(3))).toMatchObject({ ok: true });
  expect(translated(conditions(LEVELS))).toMatchObject({
    ok: false,
    untranslatable: true,
    reason: "conditions nested too deep",
  });
});
