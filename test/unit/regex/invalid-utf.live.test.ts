import fc from "fast-check";
import { expect, test } from "vitest";
import { translateRegex } from "../../../compiler/regex/translate.js";
import { decodeUtf8 } from "../../../runtime/abi/text/bytes.js";
import { patterns } from "../../tools/patterns.js";
import { askPcre2, byteString, modifiersOf } from "../../tools/pcre2.js";

/** Valid characters, mixed with invalid bytes in every order. */
const PIECES = ["a", "b", "\n", " ", "7", "é", "Ж", "😀"].map(byteString);
/** Invalid UTF-8 without encoded surrogates, which pcre2test prints as characters, shifting later offsets. */
const INVALID = ["\xff", "\x80", "\xe2\x82", "\xc3", "\xf0\x9f\x98"];
const subjects = fc
  .array(fc.constantFrom(...PIECES, ...INVALID), { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join(""));

const CLASSES =
  ". \\N \\D \\W \\S \\H \\V [^>] [^é] \\P{L} \\p{C} \\p{Cs} \\P{Lu} [\\P{L}x] [^\\p{L}] [\\p{C}7] [^\\P{L}] [\\D\\x30] \\x{d7ff} [\\x{d7f0}-\\x{e010}]".split(
    " ",
  );

interface Asked {
  pattern: string;
  options: string;
  subjects: string[];
}

/** Returns differences in the first match, without empty ones: PCRE2 tries those on each fragment apart. */
function differences(asked: readonly Asked[]): { found: string[]; compared: number } {
  const answers = askPcre2(
    asked.map(({ pattern, options, subjects: texts }) => ({
      pattern: byteString(pattern),
      modifiers: [...modifiersOf(options), "match_invalid_utf"],
      subjects: texts.map((bytes) => ({ bytes, offset: 0 })),
    })),
  );
  const found: string[] = [];
  let compared = 0;
  for (const [i, { pattern, options, subjects: texts }] of asked.entries()) {
    const answer = answers[i];
    const ours = translateRegex(pattern, options, { scope: "global", captures: [] });
    if (!ours.ok || !answer || "error" in answer) continue;
    const expression = new RegExp(ours.source, `${ours.flags}g`);
    for (const [n, bytes] of texts.entries()) {
      const theirs = answer.matches[n];
      if (theirs === undefined || theirs === "gave up") continue;
      const text = decodeUtf8(bytes);
      expression.lastIndex = 0;
      const match = expression.exec(text);
      const got = match && { at: [...text.slice(0, match.index)].length, text: match[0] };
      const characters = [...text];
      const want = theirs && {
        at: theirs.start,
        text: characters.slice(theirs.start, theirs.end).join(""),
      };
      if (got?.text === "" || want?.text === "") continue;
      compared++;
      if (JSON.stringify(got) !== JSON.stringify(want))
        found.push(JSON.stringify({ pattern, options, bytes, want, got, source: ours.source }));
    }
  }
  return { found, compared };
}

test.each(["u", "us", "ui", "um"])("no class matches an invalid byte, options %j", (options) => {
  const texts = [
    ...INVALID,
    ...INVALID.map((bytes) => `${bytes}a`),
    ...INVALID.map((bytes) => `\n${bytes}é`),
  ];
  const asked = CLASSES.map((pattern) => ({ pattern, options, subjects: texts }));
  const { found, compared } = differences(asked);
  expect(found.slice(0, 5)).toEqual([]);
  expect(compared).toBe(CLASSES.length * texts.length);
});

test.each([1, 2])("generated patterns match around invalid bytes as in PCRE2, seed %i", (seed) => {
  const arbitrary = fc.record({
    // For \Z, \z and look-arounds of PCRE2 the text also ends where invalid bytes begin.
    pattern: patterns.filter((pattern) => !/\\[zZG]|\(\?|\(\*|\$|\^|\[\[:[<>]/.test(pattern)),
    options: fc.constantFrom("u", "ui", "us", "um", "ux"),
    subjects: fc.array(subjects, { minLength: 3, maxLength: 5 }),
  });
  const { found, compared } = differences(fc.sample(arbitrary, { seed, numRuns: 4_000 }));
  expect(found.slice(0, 5)).toEqual([]);
  expect(compared).toBeGreaterThan(5_000);
});

test("every replacement leaves invalid bytes as they are", () => {
  fc.assert(
    fc.property(patterns, subjects, (pattern, bytes) => {
      const ours = translateRegex(pattern, "u", { scope: "global", captures: [] });
      if (!ours.ok) return;
      const kept = (text: string) => text.replace(/[^\udc80-\udcff]/g, "");
      const text = decodeUtf8(bytes);
      expect(kept(text.replace(new RegExp(ours.source, `${ours.flags}g`), ""))).toBe(kept(text));
    }),
    { numRuns: 3_000 },
  );
});
