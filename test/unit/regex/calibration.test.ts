import { beforeAll, describe, expect, test } from "vitest";
import { stepsFor } from "../../../compiler/regex/cost/worst-case.js";
import { checkRegex } from "../../../compiler/regex/diagnose.js";
import { type Calibration, calibrate, publicPatterns } from "../../tools/calibration.js";

// The bound of a pattern's cost against the steps of an interpreter, on texts made for it: both are counted, so that the answer is
// the same on every machine. What a step takes in V8 is measured by test/bench/regex-steps.ts.

const LENGTH = 150;
let all: Calibration[];

beforeAll(() => {
  all = publicPatterns().map((each) => calibrate(each, LENGTH));
}, 120_000);

const boundOf = ({ worst, text }: Calibration) => stepsFor(worst, text.length);
const name = ({ written }: Calibration) => `/${written.pattern}/${written.options}`;

describe("the bound of a pattern's cost", () => {
  test("is never below the steps that public patterns take on texts made for them", () => {
    const below = all.filter((each) => boundOf(each) < (each.steps ?? 0));
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(below.map(name)).toEqual([]);
  });

  test("is at most 20 times what 95 % of them take", () => {
    // An infinite bound is right for a pattern that takes exponential time.
    const above = all.filter((each) => {
      const bound = boundOf(each);
      return each.steps !== undefined && Number.isFinite(bound) && bound > 20 * each.steps;
    });
    expect(above.map(name).slice(Math.floor(all.length * 0.05))).toEqual([]);
  });

  test.each(["\\b(?:\\d[ -]?){13,16}\\b", "\\b(?:\\d[ -]*?){13,16}\\b", "(?:\\d[ -]*){13,19}"])(
    "lets %s run on the backtracking engine for bodies",
    (pattern) => {
      const subject = { name: "a body", bytes: 67_108_864, atOnce: 65_536 };
      const use = { captures: [], scope: "global" as const };
      const checked = checkRegex({ pattern, options: "jo", ...use, subject, span: undefined });
      expect(checked).toMatchObject({ diagnostics: [], regex: { engine: "backtracking" } });
    },
  );
});

describe("a pattern that is refused", () => {
  const refusal = (pattern: string, bytes: number) =>
    checkRegex({
      ...{ pattern, options: "", captures: [], span: undefined },
      subject: { name: "a body", bytes, atOnce: Math.min(bytes, 65_536), allowSlow: true },
    }).diagnostics;

  test("names the largest max_resp_body_size for which it is accepted, and allow_slow", () => {
    const pattern = "(?<!x)a[^b]*c";
    const [{ help = "" } = {}] = refusal(pattern, 67_108_864);
    const [, size] = /set max_resp_body_size to at most (\d+); or state allow_slow: true/.exec(help) ?? [];
    expect(refusal(pattern, Number(size))).toEqual([]);
    expect(refusal(pattern, Number(size) + 1)).toMatchObject([{ code: "GW4504" }]);
  });
});

describe("line ends with option m", () => {
  test.each(["^(?:a+)+b", "(?:a+)+b$", "(?:x$|(?:a+)+)b"])("run on re2js in %s", (pattern) => {
    const subject = { name: "a header", bytes: 32_768, atOnce: 32_768 };
    const checked = checkRegex({ pattern, options: "m", captures: [], subject, span: undefined });
    expect(checked.diagnostics).toEqual([]);
    expect(checked.regex?.engine).not.toBe("backtracking");
  });
});
