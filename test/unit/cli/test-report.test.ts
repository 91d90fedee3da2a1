import { describe, expect, it } from "vitest";
import { reportOf } from "../../../cli/test/report.js";
import type { TestResult } from "../../../cli/test/run.js";

/**
 * Code points of C0, DEL, C1, bidi marks, separators and zero-width characters; this file contains none of
 * them itself.
 */
const CODES = [0x7f, 0x85, 0x9b, 0x61c, 0x200b, 0x200e, 0x2028, 0x2029, 0x202e, 0x2060, 0x2066, 0xfeff];
const UNSEEN = `${String.fromCharCode(...CODES)}\u001b[31m`;
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

const span = (file: string) => ({ file, start: { line: 1, column: 1 }, end: { line: 1, column: 2 } });
const FILE = span(`a${UNSEEN}\nforged`);
const RAN: TestResult = {
  name: `n${UNSEEN}\nforged`,
  span: FILE,
  differences: [
    { path: ["route"], what: `w${UNSEEN}\nforged`, expected: UNSEEN, actual: `${UNSEEN}\r\nx`, span: FILE },
    { path: ["body"], what: "body", expected: { [UNSEEN]: UNSEEN }, actual: [UNSEEN], span: FILE },
  ],
  faults: [`f${UNSEEN}\nforged`],
  refused: [UNSEEN],
  ms: 1,
  route: UNSEEN,
  verdict: UNSEEN,
};

describe("a report of tests", () => {
  it.each(["text", "json", "junit"] as const)(
    "a test report as %s contains no control or invisible character",
    (format) => {
      const report = reportOf(format, { ran: [RAN], ms: 1 });
      expect(report).toContain("forged");
      expect(report).not.toMatch(RAW);
    },
  );

  it("a test report puts no part of a name, a file or a fault on a line of its own", () => {
    expect(reportOf("text", { ran: [RAN], ms: 1 })).not.toMatch(/^\s*forged/m);
  });

  it("a test report in JSON has control characters as escapes that programs read back", () => {
    const { tests } = JSON.parse(reportOf("json", { ran: [RAN], ms: 1 })) as { tests: { name: string }[] };
    expect(tests.map(({ name }) => name)).toEqual([RAN.name]);
  });
});
