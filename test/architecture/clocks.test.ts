import { describe, expect, it } from "vitest";
import { projectOf, TEST_FILES } from "../suite/files.js";
import { read } from "./sources.js";

/** Files that `npm test` runs. */
const FILES = TEST_FILES.filter((file) => !/^long-|^webkit$/.test(projectOf(file)));

/** Upper bounds of a clock, load averages, and sleeps over 100 ms: each fails on a machine that is slow enough. */
const VERDICTS_BY_THE_CLOCK = [
  /expect\([^;]*(?:performance\.now|Date\.now|cpuUsage|hrtime)[^;]*\)\s*\.toBeLessThan/g,
  /\bloadavg\b/g,
];
const SLEEPS = [
  /\b(?:wait|pause|sleep)\((\d[\d_]*)\)/g,
  /setTimeout\(\w+, (\d[\d_]*)\)/g,
  /waitForTimeout\((\d[\d_]*)\)/g,
];

const countIn = (file: string): number => {
  const text = read(file);
  const verdicts = VERDICTS_BY_THE_CLOCK.reduce(
    (sum, pattern) => sum + [...text.matchAll(pattern)].length,
    0,
  );
  const sleeps = SLEEPS.flatMap((pattern) => [...text.matchAll(pattern)]);
  return verdicts + sleeps.filter(([, ms = ""]) => Number(ms.replaceAll("_", "")) > 100).length;
};

describe("tests of npm test", () => {
  it("judge by no clock and sleep for no more than 100 ms", () => {
    const found = FILES.map((file) => [file, countIn(file)] as const).filter(([, count]) => count > 0);
    expect(Object.fromEntries(found)).toEqual({});
  });
});
