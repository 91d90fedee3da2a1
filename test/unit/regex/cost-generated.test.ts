import { expect, test } from "vitest";
import { patternsOverTheirBound } from "../../tools/cost-bounds.js";

// Fixed seeds keep the run repeatable; RUNS multiplies the number of patterns for a longer search.
const RUNS = Number(process.env["RUNS"] ?? 1);

test.each([1, 2, 3])("no generated pattern takes more steps than its bound says, seed %i", (seed) => {
  expect(patternsOverTheirBound({ seed, count: 600 * RUNS })).toEqual([]);
});
