import { describe, expect, it } from "vitest";
import type { StepResult } from "../../suite/report.js";
import { mayRecover, tryAgain } from "../../suite/second-try.js";
import type { Step } from "../../suite/steps.js";

const PEER = "test/fuzz/wire-peers.test.ts";
const PRODUCT = "test/e2e/process/kill.test.ts";
const STEP: Step = { name: "peers", budget: 60, run: { projects: ["peers"] } };

const red = (file: string) => ({
  ...{ file, seconds: 1, passed: 2, failed: 1, skipped: 0, leftOut: "" },
  failures: [{ title: "a title", error: "Error: late" }],
});
const result = (more: Partial<StepResult>): StepResult => ({
  ...{ name: "peers", budget: 60, seconds: 10, isGreen: false, files: [red(PEER)], outside: [] },
  ...{ passed: 2, failed: 1, skipped: 0, ...more },
});

/** Second tries with this exit code. */
const ending = (exitCode: number, tried: string[] = [], passed = 3) => {
  return async (_: readonly string[], __: string, file: string) => {
    tried.push(file);
    return { exitCode, files: [], outside: [], passed, failed: 0, skipped: 0 };
  };
};

describe("a second try", () => {
  it("a second try makes a step green if its failed files start peers and then pass, and reports them", async () => {
    const step = result({});
    expect(mayRecover(step)).toBe(true);
    const flaky = await tryAgain([STEP], [step], ending(0));
    expect(flaky).toEqual([{ step: "peers", file: PEER, test: "a title", error: "Error: late" }]);
    expect(step).toMatchObject({ isGreen: true, passed: 3, failed: 0 });
  });

  it("a second try leaves a step red if its file fails again", async () => {
    const step = result({});
    expect(await tryAgain([STEP], [step], ending(1))).toEqual([]);
    expect(step).toMatchObject({ isGreen: false, passed: 2, failed: 1 });
  });

  it("a second try that skips every test does not count, because its peer is missing", async () => {
    const step = result({});
    expect(await tryAgain([STEP], [step], ending(0, [], 0))).toEqual([]);
    expect(step.isGreen).toBe(false);
  });

  it("a second try is not made for a file without a peer", async () => {
    const [step, tried]: [StepResult, string[]] = [result({ files: [red(PRODUCT), red(PEER)] }), []];
    expect(mayRecover(step)).toBe(false);
    await tryAgain([STEP], [step], ending(0, tried));
    expect([tried, step.isGreen]).toEqual([[PEER], false]);
  });

  it("a second try does not clear an error outside of tests", async () => {
    const step = result({ outside: ["Worker exited unexpectedly"] });
    expect(mayRecover(step)).toBe(false);
    await tryAgain([STEP], [step], ending(0));
    expect(step.isGreen).toBe(false);
  });

  it("a second try does not make a red step green that has no failed file", async () => {
    const step = result({ files: [] });
    await tryAgain([STEP], [step], ending(0));
    expect(step.isGreen).toBe(false);
  });

  it("a second try leaves no negative count after a failed hook or file", async () => {
    const failures = [{ title: "", error: "Error: no broker" }];
    const step = result({ files: [{ ...red(PEER), passed: 0, failed: 0, skipped: 3, failures }] });
    Object.assign(step, { passed: 0, failed: 0, skipped: 3 });
    await tryAgain([STEP], [step], ending(0));
    expect(step).toMatchObject({ isGreen: true, passed: 3, failed: 0, skipped: 0 });
  });
});
