import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { doublings, waysAhead } from "../../../compiler/regex/analyse/ways-ahead.js";
import { checkRegex } from "../../../compiler/regex/diagnose.js";
import { flowOf } from "../../../compiler/regex/streaming.js";
import { parseRegex } from "../../../compiler/regex/translate.js";

const PATH = { name: "a request target", bytes: 16_384, atOnce: 16_384 };
const EITHER = "(?:a?|b?)";

function waysOf(pattern: string, characters = 1): { most: number; all: number } {
  const node = parseRegex(pattern, "");
  if (node === undefined) throw new Error("it is not parsed");
  return waysAhead(node, characters);
}

function foundIn(pattern: string): string[] {
  const { diagnostics } = checkRegex({ pattern, options: "", subject: PATH, span: undefined });
  return diagnostics.map(({ code, message }) => `${code} ${message}`);
}

describe("the paths that V8 follows when it compiles a pattern", () => {
  test.each([
    ["abc", 1],
    ["a?", 2],
    ["a?b?c", 3],
    ["(?:a?)?b", 3],
    [EITHER, 4],
    [EITHER.repeat(2), 10],
    ["(?:\\b|\\B)(?:|x|)y", 6],
    [`${EITHER}x${EITHER}`, 4],
    [`x(?:y${EITHER})?${EITHER}`, 10],
    [`(?:${EITHER}x)*${EITHER}`, 8],
    ["(?m)^^^x", 8],
    ["\\R", 2],
  ])("the pattern %s has at most %i paths ahead of one position", (pattern, ways) => {
    expect(waysOf(pattern).most).toBe(ways);
  });

  test.each([`${EITHER}{20}`, "(?:(?:a?)*)".repeat(20), `(?!${EITHER})`.repeat(20)])(
    "the paths of %s do not multiply, since V8 compiles each part by itself",
    (pattern) => {
      expect(waysOf(pattern).most).toBeLessThan(100);
    },
  );

  test("GW4508 reports a pattern with over 4,096 paths, which V8 would compile for half a second or more", () => {
    const many = expect.stringMatching(/^GW4508 .*follow each other in \d+ ways, more than 4096/);
    expect(foundIn(`^${EITHER.repeat(20)}y`)).toContainEqual(many);
    expect(foundIn(`^${EITHER.repeat(500)}y`)).toContainEqual(
      expect.stringMatching(/^GW4508 .*follow each other in over 1000000000 ways/),
    );
    expect(waysOf(`^${EITHER.repeat(10)}y`).most).toBeLessThan(4_096);
    expect(foundIn(`^${EITHER.repeat(10)}y`)).not.toContainEqual(many);
  });

  test.each([
    ["a?b?c?dddd", 8],
    ["a?b?c?d?e?ffff", 31],
    ["(?:a|b|cd)(?:a|b|cd)efg", 9],
    ["a*b*ccc", 3],
    ["a{2,5}b", 3],
    ["(a)?(b)?(c)?dddd", 4],
    ["(a?)(b?)(c?)dddd", 8],
  ])("the pattern %s has at most %i paths within four characters", (pattern, ways) => {
    expect(waysOf(pattern, 4).most).toBe(ways);
  });

  test("GW4508 reports 62 optional letters, which V8 would compile for seconds, and no list of codes", () => {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"];
    const row = (length: number) => `^${letters.slice(0, length).join("?")}?/zzz`;
    const many = expect.stringMatching(
      /^GW4508 .*alternatives follow each other in \d+ ways within 4 characters/,
    );
    expect(foundIn(row(62))).toContainEqual(many);
    expect(foundIn(row(25))).not.toContainEqual(many);
    expect(foundIn(`^${letters.map((letter) => `(${letter})?`).join("")}/zzz`)).not.toContainEqual(many);
    const codes = letters.slice(0, 26).flatMap((one) => letters.slice(26, 36).map((other) => one + other));
    const list = `(?:${codes.join("|")})`;
    expect(foundIn(`^${list}-${list}$`)).not.toContainEqual(many);
  });

  test("GW4508 reports 20 line starts in a row, each of which is translated to an alternation", () => {
    const many = expect.stringMatching(/^GW4508 .*may be empty follow each other in \d+ ways/);
    expect(foundIn(`(?m)${"^".repeat(20)}a`)).toContainEqual(many);
    expect(foundIn(`(?m)${"^".repeat(3)}a`)).not.toContainEqual(many);
  });

  test("the number of paths never exceeds the quick bound", () => {
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.constantFrom("a", "", "\\b", "[ab]", "\\R"),
        fc.array(tie("pattern"), { minLength: 2, maxLength: 4 }).map((items) => items.join("")),
        fc.array(tie("pattern"), { minLength: 2, maxLength: 4 }).map((items) => `(?:${items.join("|")})`),
        fc
          .tuple(tie("pattern"), fc.constantFrom("?", "*", "+", "{2,5}", "{0}", "++"))
          .map(([body, counts]) => `(?:${body})${counts}`),
        tie("pattern").map((body) => `(?=${body})`),
        fc.tuple(tie("pattern"), tie("pattern")).map(([yes, no]) => `(?(?=a)${yes}|${no})`),
      ),
    }));
    fc.assert(
      fc.property(pattern, (text) => {
        const node = parseRegex(text, "");
        if (node === undefined) throw new Error(`/${text}/ is not parsed`);
        for (const characters of [1, 4])
          expect(2 ** doublings(node)).toBeGreaterThanOrEqual(waysAhead(node, characters).most);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([EITHER, "(?:a?)?", "(?:\\b|x?)"])(
    "the flow of 40 times %s has no partial pattern, since that would compile too slowly",
    (part) => {
      const flow = flowOf(`${part.repeat(40)}y`, "", { captures: [], scope: "global", utf8: false });
      expect(flow).toMatchObject({ mode: "stream", partial: null });
    },
  );
});
