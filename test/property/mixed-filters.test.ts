// Filters over bytes and over characters in one list, on bodies with and without valid UTF-8.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filtered } from "../../plugins/response-rewrite/oracle.js";
import type { ResponseRewriteData } from "../../plugins/response-rewrite/view.js";
import { runs } from "../support/runs.js";
import { loaded, planned } from "../unit/plan/planned.js";
import { recordingExchange } from "./recording-exchange.js";

const RUNS = runs(300);

const rule = fc.record({
  regex: fc.oneof(
    fc.constantFrom("x", "[xa]", "é", "a(?=x)"),
    fc.constantFrom(..."[^x] . (?i)k (?i)s+ \\bb ^a b$ (a)(x)? x* (?<!a)x [à-ü] \\R [a-c]+".split(" ")),
  ),
  replace: fc.constantFrom("", "-", "é", "[$0]", "a", "$0$0"),
  scope: fc.constantFrom("once", "global"),
  options: fc.constantFrom("", "u", "i", "iu", "m", "mu"),
});
// Halves of characters meet when the text between them is removed.
const body = fc
  .array(
    fc.oneof(
      fc.constantFrom("\xc3x\xa9", "\xc3\xa9", "x", "a", "b", "k", "s", "\n"),
      fc.constantFrom("\xc3", "\xa9", "\xe2\x84\xaa", "\xe2", "\x80", "\xa8", "\xf0\x9f\x92\x80", "\xc5\xbf"),
    ),
    { maxLength: 10 },
  )
  .map((pieces) => pieces.join(""));

describe("a list of filters", () => {
  it("a list of filters does the same as its rules one after the other, over bytes or characters", () => {
    let compiled = 0;
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 4 }),
        fc.array(body, { minLength: 4, maxLength: 10 }),
        (filters, bodies) => {
          const { pipeline } = planned({ plugins: { "response-rewrite": { filters } } });
          if (pipeline === undefined) return;
          compiled++;
          const x = recordingExchange();
          loaded(pipeline).headerFilter?.(x);
          const step = pipeline.steps.find(({ phase }) => phase === "headerFilter");
          const rules = (step?.data as ResponseRewriteData | undefined)?.filters ?? [];
          for (const text of bodies) expect(x.filter?.apply(text)).toBe(filtered(text, rules));
        },
      ),
      { numRuns: RUNS },
    );
    expect(compiled).toBeGreaterThan(RUNS / 2);
  });
});
