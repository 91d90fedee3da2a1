import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../suite/files.js";
import { MAX_FLAKY, reportText, type StepResult } from "../../suite/report.js";
import { summarize } from "../../suite/vitest-run.js";

const step = (name: string, more: Partial<StepResult> = {}): StepResult => ({
  ...{ name, budget: 60, seconds: 10, isGreen: true, files: [], passed: 0, failed: 0, skipped: 0 },
  ...more,
});
const file = (name: string, seconds: number, error?: string) => ({
  file: `test/e2e/${name}.test.ts`,
  seconds,
  failures: error === undefined ? [] : [{ title: "a title", error }],
});

describe("the report of a run", () => {
  it("names red tests with their error, and counts all tests in a line for machines", () => {
    const red = step("peers", {
      isGreen: false,
      files: [file("a", 1, "Error: no")],
      passed: 3,
      failed: 1,
      skipped: 2,
    });
    const text = reportText([step("units", { passed: 10 }), red], []);
    expect(text).toContain("RED: test/e2e/a.test.ts > a title: Error: no\n");
    expect(text).toMatch(/^peers +RED +1 +4 +10 +60$/m);
    expect(text).toMatch(/^tests: 13 passed, 1 failed, 2 skipped$/m);
  });

  it("shows a file that passed at its second try as flaky, not as red, with the first error", () => {
    const flaky = [{ file: "test/e2e/a.test.ts", test: "a title", error: "Error: late" }];
    const text = reportText([step("peers", { files: [file("a", 1, "Error: late")], passed: 4 })], flaky);
    expect(text).toContain("FLAKY (passed at the second try): test/e2e/a.test.ts > a title: Error: late");
    expect(text).not.toContain("RED");
  });

  it("is red when more files are flaky than bad moments explain", () => {
    const flaky = Array.from({ length: MAX_FLAKY + 1 }, (_, i) => ({ file: `${i}`, test: "", error: "" }));
    expect(reportText([step("peers")], flaky)).toContain(
      `RED: ${MAX_FLAKY + 1} flaky files, allowed ${MAX_FLAKY}`,
    );
  });

  it("lists the slowest files first, and a step over its budget", () => {
    const slow = step("gateway", { seconds: 61, files: [file("a", 2), file("b", 30)] });
    const text = reportText([slow], []);
    expect(text).toContain("slowest files: e2e/b 30 s, e2e/a 2 s");
    expect(text).toContain("over budget: gateway took 61 s of 60 s");
  });
});

describe("vitest's JSON report", () => {
  const report = (files: object[]) =>
    JSON.stringify({
      ...{ numPassedTests: 1, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 },
      testResults: files,
    });
  const result = (more: object) => ({
    ...{ name: join(ROOT, "test/e2e/a.test.ts"), startTime: 1_000, endTime: 3_500, message: "" },
    ...more,
  });

  it("gives files relative to the root, with the first line of each error", () => {
    const assertionResults = [
      { fullName: "passes", status: "passed", failureMessages: [] },
      { fullName: "fails", status: "failed", failureMessages: ["Error: one\n  at two"] },
    ];
    const summary = summarize(report([result({ status: "failed", assertionResults })]));
    expect(summary).toEqual({
      files: [
        { file: "test/e2e/a.test.ts", seconds: 2.5, failures: [{ title: "fails", error: "Error: one" }] },
      ],
      ...{ passed: 1, failed: 1, skipped: 3 },
    });
  });

  it("counts a file that could not be loaded as red although none of its tests ran", () => {
    const summary = summarize(
      report([result({ status: "failed", message: "SyntaxError: x", assertionResults: [] })]),
    );
    expect(summary.files[0]?.failures).toEqual([{ title: "", error: "SyntaxError: x" }]);
  });
});
