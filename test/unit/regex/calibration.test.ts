import { beforeAll, describe, expect, test } from "vitest";
import { stepsFor } from "../../../compiler/regex/cost/worst-case.js";
import { checkRegex } from "../../../compiler/regex/diagnose.js";
import { type Calibration, calibrate, publicPatterns } from "../../tools/calibration.js";

// Compares the cost bound of a pattern with the steps of an interpreter on texts made for it. Both are counts,
// so the result is the same on every machine. test/bench/regex-steps.ts measures the time of a step in V8.

const LENGTH = 150;
let all: Calibration[];

beforeAll(() => {
  all = publicPatterns().map((each) => calibrate(each, LENGTH));
}, 120_000);

const boundOf = ({ worst, text }: Calibration) => stepsFor(worst, text.length);
const name = ({ written }: Calibration) => `/${written.pattern}/${written.options}`;

describe("the bound of a pattern's cost", () => {
  test("the cost bound of a public pattern is never below its steps on a text made for it", () => {
    const below = all.filter((each) => boundOf(each) < (each.steps ?? 0));
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(below.map(name)).toEqual([]);
  });

  test("the cost bound of 95 % of public patterns is at most 20 times their steps", () => {
    // An infinite bound is right for a pattern that takes exponential time.
    const above = all.filter((each) => {
      const bound = boundOf(each);
      return each.steps !== undefined && Number.isFinite(bound) && bound > 20 * each.steps;
    });
    expect(above.map(name).slice(Math.floor(all.length * 0.05))).toEqual([]);
  });

  test.each(["\\b(?:\\d[ -]?){13,16}\\b", "\\b(?:\\d[ -]*?){13,16}\\b", "(?:\\d[ -]*){13,19}"])(
    "the pattern %s runs on the backtracking engine for bodies",
    (pattern) => {
      const subject = { name: "a body", bytes: 67_108_864, atOnce: 65_536 };
      const use = { captures: [], scope: "global" as const };
      const checked = checkRegex({ pattern, options: "jo", ...use, subject, span: undefined });
      expect(checked).toMatchObject({ diagnostics: [], regex: { engine: "backtracking" } });
    },
  );
});

describe("a rejected pattern", () => {
  const refusal = (pattern: string, bytes: number) =>
    checkRegex({
      ...{ pattern, options: "", captures: [], span: undefined },
      subject: { name: "a body", bytes, atOnce: Math.min(bytes, 65_536), allowSlow: true },
    }).diagnostics;

  test("GW4504 names allow_slow and the largest max_resp_body_size at which the pattern is accepted", () => {
    const pattern = "(?<!x)a[^b]*c";
    const [{ help = "" } = {}] = refusal(pattern, 67_108_864);
    const [, size] = /set max_resp_body_size to at most (\d+); or set allow_slow: true/.exec(help) ?? [];
    expect(refusal(pattern, Number(size))).toEqual([]);
    expect(refusal(pattern, Number(size) + 1)).toMatchObject([{ code: "GW4504" }]);
  });
});

describe("line ends with option m", () => {
  test.each([
    ["^(?:a+)+b", "re2"],
    ["(?:a+)+b$", "linear"],
    ["(?:x$|(?:a+)+)b", "re2"],
  ])("the pattern %s with option m is accepted and runs on the engine %s", (pattern, engine) => {
    const subject = { name: "a header", bytes: 32_768, atOnce: 32_768 };
    const checked = checkRegex({ pattern, options: "m", captures: [], subject, span: undefined });
    expect(checked.diagnostics).toEqual([]);
    expect(checked.regex?.engine).toBe(engine);
  });
});
