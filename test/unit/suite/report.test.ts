import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../suite/files.js";
import { MAX_FLAKY, reportText, type StepResult } from "../../suite/report.js";
import { summarize } from "../../suite/vitest-run.js";

const step = (name: string, more: Partial<StepResult> = {}): StepResult => ({
  ...{ name, budget: 60, seconds: 10, isGreen: true, files: [], outside: [] },
  ...{ passed: 0, failed: 0, skipped: 0 },
  ...more,
});
const file = (name: string, seconds: number, error?: string) => ({
  file: `test/e2e/${name}.test.ts`,
  seconds,
  ...{ passed: 1, failed: error === undefined ? 0 : 1, skipped: 0, leftOut: "" },
  failures: error === undefined ? [] : [{ title: "a title", error }],
});

describe("the report of a run", () => {
  it("the report of a run names failed tests with their error and counts all tests in a line for machines", () => {
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

  it("the report of a run shows a file that passed at its second try as flaky, with the first error", () => {
    const flaky = [{ step: "peers", file: "test/e2e/a.test.ts", test: "a title", error: "Error: late" }];
    const text = reportText([step("peers", { files: [file("a", 1, "Error: late")], passed: 4 })], flaky);
    expect(text).toContain("FLAKY (passed at the second try): test/e2e/a.test.ts > a title: Error: late");
    expect(text).not.toContain("RED");
  });

  it("the report of a run shows a failed file as red even if it was flaky in another step", () => {
    const flaky = [{ step: "browser", file: "test/e2e/a.test.ts", test: "a title", error: "Error: late" }];
    const text = reportText([step("firefox", { isGreen: false, files: [file("a", 1, "Error: no")] })], flaky);
    expect(text).toContain("RED: test/e2e/a.test.ts > a title: Error: no");
  });

  it("the report of a run names errors outside of tests", () => {
    const text = reportText([step("units", { isGreen: false, outside: ["Worker exited unexpectedly"] })], []);
    expect(text).toContain("RED: units, outside of tests: Worker exited unexpectedly\n");
  });

  it("the report of a run names files with skipped tests, and the first such test", () => {
    const left = { ...file("a", 1), skipped: 2, leftOut: "before rsyslog (rsyslogd is missing)" };
    expect(reportText([step("peers", { files: [left] })], [])).toContain(
      "left out: 2 of test/e2e/a.test.ts, first: before rsyslog (rsyslogd is missing)",
    );
  });

  it("the report of a run is red if more files are flaky than allowed", () => {
    const flaky = Array.from({ length: MAX_FLAKY + 1 }, (_, i) => ({
      step: "peers",
      file: `${i}`,
      test: "",
      error: "",
    }));
    expect(reportText([step("peers")], flaky)).toContain(
      `RED: ${MAX_FLAKY + 1} flaky files, allowed ${MAX_FLAKY}`,
    );
  });

  it("the report of a run lists the slowest files first, and a step over its budget", () => {
    const slow = step("gateway", { seconds: 61, files: [file("a", 2), file("b", 30)] });
    const text = reportText([slow], []);
    expect(text).toContain("slowest files: e2e/b 30 s, e2e/a 2 s");
    expect(text).toContain("over budget: gateway took 61 s of 60 s");
  });
});

describe("vitest's JSON report", () => {
  const report = (files: object[]) => JSON.stringify({ testResults: files });
  const NO_ERRORS = { unhandled: [], hooks: {} };
  const A = "test/e2e/a.test.ts";
  const result = (more: object) => ({
    ...{ name: join(ROOT, "test/e2e/a.test.ts"), startTime: 1_000, endTime: 3_500, message: "" },
    ...more,
  });

  it("the summary has files relative to the root, with the first line of each error", () => {
    const assertionResults = [
      { fullName: "passes", status: "passed", failureMessages: [] },
      { fullName: "fails", status: "failed", failureMessages: ["Error: one\n  at two"] },
      ...["skipped", "pending", "todo"].map((status) => ({ fullName: status, status, failureMessages: [] })),
    ];
    const summary = summarize(report([result({ status: "failed", assertionResults })]), NO_ERRORS, [A]);
    const counts = { passed: 1, failed: 1, skipped: 3 };
    expect(summary).toEqual({
      files: [
        {
          file: A,
          seconds: 2.5,
          failures: [{ title: "fails", error: "Error: one" }],
          leftOut: "skipped",
          ...counts,
        },
      ],
      ...{ outside: [], ...counts },
    });
  });

  it("the summary counts a file that cannot be loaded as failed", () => {
    const failed = report([result({ status: "failed", message: "SyntaxError: x", assertionResults: [] })]);
    const { files } = summarize(failed, NO_ERRORS, [A]);
    expect(files[0]?.failures).toEqual([{ title: "", error: "SyntaxError: x" }]);
  });

  it("the summary has the error of a hook, which vitest's report leaves out", () => {
    const failed = report([result({ status: "failed", assertionResults: [] })]);
    const { files } = summarize(failed, { unhandled: [], hooks: { [join(ROOT, A)]: "no broker\nat x" } }, [
      A,
    ]);
    expect(files[0]?.failures).toEqual([{ title: "", error: "no broker" }]);
  });

  it("the summary has errors outside of tests and files that did not run", () => {
    const passed = report([result({ status: "passed", assertionResults: [] })]);
    const { outside } = summarize(passed, { unhandled: ["Worker exited\nat x"], hooks: {} }, [
      A,
      "b.test.ts",
    ]);
    expect(outside).toEqual(["Worker exited", "b.test.ts did not run"]);
  });
});
