import { expect, test } from "vitest";
import { few, runs } from "../../support/runs.js";
import {
  CLASSES,
  compareBroken,
  compareBytes,
  compareCharacters,
  compareGenerated,
} from "../../tools/generated-patterns.js";

test.each(few([1, 2, 3]))("generated patterns match as in PCRE2 or are rejected, seed %i", (seed) => {
  const { differences, compared } = compareGenerated({ seed, count: runs(4_000) });
  expect(differences.slice(0, 5)).toEqual([]);
  expect(compared).toBeGreaterThan(runs(20_000));
});

test.each(few([1, 2]))("broken patterns are rejected with PCRE2's message and offset, seed %i", (seed) => {
  const { differences } = compareBroken({ seed, count: runs(4_000) });
  expect(differences.slice(0, 5)).toEqual([]);
});

test.each(few(["ims", "", "i", "m", "s", "x", "a"]))(
  "every class contains the same of all 256 bytes as in PCRE2, options %j",
  (letters) => {
    const { differences, compared } = compareBytes(letters);
    expect(differences.slice(0, 5)).toEqual([]);
    expect(compared).toBeGreaterThan(CLASSES.length * 256);
  },
);

test.each(few(["iu", "u"]))(
  "every class contains the same of U+0000 to U+02FF as in PCRE2, options %j",
  (letters) => {
    expect(compareCharacters(letters).differences.slice(0, 5)).toEqual([]);
  },
);
