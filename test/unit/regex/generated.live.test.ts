import { expect, test } from "vitest";
import { few, runs } from "../../support/runs.js";
import {
  CLASSES,
  compareBroken,
  compareBytes,
  compareCharacters,
  compareGenerated,
} from "../../tools/generated-patterns.js";

test.each(few([1, 2, 3]))("generated patterns match as in PCRE2 or are refused, seed %i", (seed) => {
  const { differences, compared } = compareGenerated({ seed, count: runs(4_000) });
  expect(differences.slice(0, 5)).toEqual([]);
  expect(compared).toBeGreaterThan(runs(20_000));
});

test.each(few([1, 2]))("broken patterns are refused in PCRE2's words and at its place, seed %i", (seed) => {
  const { differences } = compareBroken({ seed, count: runs(4_000) });
  expect(differences.slice(0, 5)).toEqual([]);
});

test.each(few(["ims", "", "i", "m", "s", "x", "a"]))(
  "every class holds the same of all 256 bytes, options %j",
  (letters) => {
    const { differences, compared } = compareBytes(letters);
    expect(differences.slice(0, 5)).toEqual([]);
    expect(compared).toBeGreaterThan(CLASSES.length * 256);
  },
);

test.each(few(["iu", "u"]))("every class holds the same of U+0000 to U+02FF, options %j", (letters) => {
  expect(compareCharacters(letters).differences.slice(0, 5)).toEqual([]);
});
