import fc from "fast-check";
import { expect, test } from "vitest";
import { brokenPatterns, options, patterns, subjects } from "../../tools/patterns.js";
import { compareWithPcre2 } from "../../tools/pcre2-comparison.js";

// Fixed seeds keep the run repeatable; RUNS multiplies the number of patterns for a longer search.
const RUNS = Number(process.env.RUNS ?? 1);

test.each([1, 2, 3])("generated patterns match as in PCRE2 or are refused, seed %i", (seed) => {
  const arbitrary = fc.record({
    pattern: patterns,
    options,
    subjects: fc.array(subjects, { minLength: 3, maxLength: 5 }),
  });
  const { differences, compared } = compareWithPcre2(fc.sample(arbitrary, { seed, numRuns: 4_000 * RUNS }));
  expect(differences.slice(0, 5)).toEqual([]);
  expect(compared).toBeGreaterThan(20_000);
});

test.each([1, 2])("broken patterns are refused in PCRE2's words and at its place, seed %i", (seed) => {
  const arbitrary = fc.record({
    pattern: brokenPatterns,
    options,
    subjects: fc.constant(["a"]),
    exactErrors: fc.constant(true),
  });
  const { differences } = compareWithPcre2(fc.sample(arbitrary, { seed, numRuns: 4_000 * RUNS }));
  expect(differences.slice(0, 5)).toEqual([]);
});

const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));
const CLASSES = [
  ..."\\d \\D \\w \\W \\s \\S \\h \\H \\v \\V \\N . \\R \\b \\B ^ $ \\A \\z \\Z".split(" "),
  ..."[a-f] [^a-f] [A-Z] [^\\x80-\\xff] [\\w\\xe9] [^\\s\\d] [\\D\\x30] [é] [à-ö] \\xe9 \\xc9 k s K S \\x{b5}".split(
    " ",
  ),
  ..."\\p{L} \\P{L} \\p{Lu} \\p{Ll} \\p{N} \\p{P} \\p{S} \\p{Z} \\p{C} \\p{Xan} \\p{Xwd} \\p{Xsp} \\p{L&} [\\p{Lu}1] [^\\p{Ll}]".split(
    " ",
  ),
  ..."alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit"
    .split(" ")
    .flatMap((name) => [`[[:${name}:]]`, `[[:^${name}:]]`, `[^[:${name}:]]`]),
];

test.each(["", "i", "m", "s", "x", "a", "ims"])(
  "every class holds the same of all 256 bytes, options %j",
  (letters) => {
    const around = BYTES.flatMap((byte) => [byte, `a${byte}`, `${byte}\n`]);
    const asked = CLASSES.map((pattern) => ({ pattern, options: letters, subjects: around, raw: true }));
    const { differences, compared } = compareWithPcre2(asked);
    expect(differences.slice(0, 5)).toEqual([]);
    expect(compared).toBeGreaterThan(CLASSES.length * 256);
  },
);

test.each(["u", "iu"])("every class holds the same of U+0000 to U+02FF, options %j", (letters) => {
  // Unicode 16 moved U+0295 from Ll to Lo; PCRE2 10.42 has Unicode 14.
  const characters = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).filter(
    (each) => each !== "\u0295",
  );
  const asked = CLASSES.filter((each) => each !== "\\x{b5}").map((pattern) => ({
    pattern,
    options: letters,
    subjects: characters,
  }));
  expect(compareWithPcre2(asked).differences.slice(0, 5)).toEqual([]);
});
