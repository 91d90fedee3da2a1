import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { doublings, emptyWays, MOST_EMPTY_WAYS } from "../../../compiler/regex/analyse/empty-ways.js";
import { checkRegex } from "../../../compiler/regex/diagnose.js";
import { flowOf } from "../../../compiler/regex/streaming.js";
import { parseRegex } from "../../../compiler/regex/translate.js";

const PATH = { name: "a request target", bytes: 16_384, atOnce: 16_384 };
const EITHER = "(?:a?|b?)";

function waysOf(pattern: string): number {
  const node = parseRegex(pattern, "");
  if (node === undefined) throw new Error("it is not parsed");
  return emptyWays(node);
}

function foundIn(pattern: string): string[] {
  const { diagnostics } = checkRegex({ pattern, options: "", subject: PATH, span: undefined });
  return diagnostics.map(({ code, message }) => `${code} ${message}`);
}

describe("the ways through empty text", () => {
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
  ])("ahead of a place of %s are %i at the most", (pattern, ways) => {
    expect(waysOf(pattern)).toBe(ways);
  });

  test.each([`${EITHER}{20}`, "(?:(?:a?)*)".repeat(20), `(?!${EITHER})`.repeat(20)])(
    "do not multiply in %s, where V8 looks at each part by itself",
    (pattern) => {
      expect(waysOf(pattern)).toBeLessThan(100);
    },
  );

  test("refuse a pattern that V8 would compile for half a second, or for ever, and no shorter one", () => {
    const many = expect.stringMatching(/^GW4508 .*follow each other in \d+ ways, more than 4096/);
    expect(foundIn(`^${EITHER.repeat(20)}y`)).toContainEqual(many);
    expect(foundIn(`^${EITHER.repeat(500)}y`)).toContainEqual(
      expect.stringMatching(/^GW4508 .*follow each other in over 1000000000 ways/),
    );
    expect(waysOf(`^${EITHER.repeat(10)}y`)).toBeLessThan(MOST_EMPTY_WAYS);
    expect(foundIn(`^${EITHER.repeat(10)}y`)).not.toContainEqual(many);
  });

  test("are never more than their quick bound, which saves counting them", () => {
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
        expect(2 ** doublings(node)).toBeGreaterThanOrEqual(emptyWays(node));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([EITHER, "(?:a?)?", "(?:\\b|x?)"])(
    "of 40 times %s are not compiled to tell what more text would change",
    (part) => {
      const flow = flowOf(`${part.repeat(40)}y`, "", { captures: [], scope: "global", utf8: false });
      expect(flow).toMatchObject({ mode: "stream", partial: null });
    },
  );
});
