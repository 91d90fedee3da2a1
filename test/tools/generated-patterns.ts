import fc from "fast-check";
import { brokenPatterns, options, patterns, subjects } from "./patterns.js";
import { type Comparison, compareWithPcre2 } from "./pcre2-comparison.js";

/** A repeatable number of generated patterns. */
interface Sample {
  seed: number;
  count: number;
}

/** Compares the matches of generated patterns. */
export function compareGenerated({ seed, count }: Sample): Comparison {
  const arbitrary = fc.record({
    pattern: patterns,
    options,
    subjects: fc.array(subjects, { minLength: 3, maxLength: 5 }),
  });
  return compareWithPcre2(fc.sample(arbitrary, { seed, numRuns: count }));
}

/** Compares wording and place of the refusal of broken patterns. */
export function compareBroken({ seed, count }: Sample): Comparison {
  const arbitrary = fc.record({
    pattern: brokenPatterns,
    options,
    subjects: fc.constant(["a"]),
    exactErrors: fc.constant(true),
  });
  return compareWithPcre2(fc.sample(arbitrary, { seed, numRuns: count }));
}

const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));
export const CLASSES = [
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

/** Compares what every class holds of all 256 bytes. */
export function compareBytes(letters: string): Comparison {
  const around = BYTES.flatMap((byte) => [byte, `a${byte}`, `${byte}\n`]);
  return compareWithPcre2(
    CLASSES.map((pattern) => ({ pattern, options: letters, subjects: around, raw: true })),
  );
}

/** Compares what every class holds of U+0000 to U+02FF. */
export function compareCharacters(letters: string): Comparison {
  // Unicode 16 moved U+0295 from Ll to Lo; PCRE2 10.42 has Unicode 14.
  const characters = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).filter(
    (each) => each !== "\u0295",
  );
  return compareWithPcre2(
    CLASSES.filter((each) => each !== "\\x{b5}").map((pattern) => ({
      pattern,
      options: letters,
      subjects: characters,
    })),
  );
}
