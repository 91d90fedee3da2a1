import { expect, test } from "vitest";
import {
  CLASSES,
  compareBroken,
  compareBytes,
  compareCharacters,
  compareGenerated,
} from "../../tools/generated-patterns.js";

// More patterns and all options: generated-many.live.test.ts.

test("generated patterns match as in PCRE2 or are refused", () => {
  const { differences, compared } = compareGenerated({ seed: 1, count: 800 });
  expect(differences.slice(0, 5)).toEqual([]);
  expect(compared).toBeGreaterThan(4_000);
});

test("broken patterns are refused in PCRE2's words and at its place", () => {
  expect(compareBroken({ seed: 1, count: 800 }).differences.slice(0, 5)).toEqual([]);
});

test("every class holds the same of all 256 bytes", () => {
  const { differences, compared } = compareBytes("ims");
  expect(differences.slice(0, 5)).toEqual([]);
  expect(compared).toBeGreaterThan(CLASSES.length * 256);
});

test("every class holds the same of U+0000 to U+02FF", () => {
  expect(compareCharacters("iu").differences.slice(0, 5)).toEqual([]);
});
