import { expect, test } from "vitest";
import {
  CLASSES,
  compareBroken,
  compareBytes,
  compareCharacters,
  compareGenerated,
} from "../../tools/generated-patterns.js";

// Fixed seeds keep the run repeatable; RUNS multiplies the number of patterns for a longer search.
const RUNS = Number(process.env.RUNS ?? 1);

test.each([1, 2, 3])("generated patterns match as in PCRE2 or are refused, seed %i", (seed) => {
  const { differences, compared } = compareGenerated({ seed, count: 4_000 * RUNS });
  expect(differences.slice(0, 5)).toEqual([]);
  expect(compared).toBeGreaterThan(20_000);
});

test.each([1, 2])("broken patterns are refused in PCRE2's words and at its place, seed %i", (seed) => {
  const { differences } = compareBroken({ seed, count: 4_000 * RUNS });
  expect(differences.slice(0, 5)).toEqual([]);
});

test.each(["", "i", "m", "s", "x", "a", "ims"])(
  "every class holds the same of all 256 bytes, options %j",
  (letters) => {
    const { differences, compared } = compareBytes(letters);
    expect(differences.slice(0, 5)).toEqual([]);
    expect(compared).toBeGreaterThan(CLASSES.length * 256);
  },
);

test.each(["u", "iu"])("every class holds the same of U+0000 to U+02FF, options %j", (letters) => {
  expect(compareCharacters(letters).differences.slice(0, 5)).toEqual([]);
});
