import { describe, expect, it } from "vitest";
import { projectOf, TEST_FILES } from "../suite/files.js";
import { PATIENCE_MS } from "../support/patience.js";
import { importsOf, reachedFrom, read } from "./sources.js";

const isTest = (path: string) => path.startsWith("test/");

/** Files that `npm test` runs, and the test modules that they import. */
const FILES = [
  ...reachedFrom(
    TEST_FILES.filter((file) => !/^long-|^webkit$/.test(projectOf(file))),
    (path) => importsOf(path).filter(({ to }) => isTest(to) && to.endsWith(".ts")),
  ).keys(),
].filter((file) => !file.startsWith("test/bench/"));

/** Load averages and upper bounds on a clock, which fail on a machine that is slow enough. */
const CLOCK = String.raw`(?:performance\.now|Date\.now|cpuUsage|hrtime)`;
const VERDICTS_BY_THE_CLOCK = [
  new RegExp(String.raw`expect\([^;]*${CLOCK}[^;]*\)\s*\.toBeLessThan`, "g"),
  // By a variable: `const took = performance.now() - start;` and a later `expect(took).toBeLessThan(…)`.
  new RegExp(
    String.raw`\b(?:const|let) (\w+) = [^;]*?${CLOCK}\([^;]*\) -[^;]*;[^]*?expect\(\1\b[^;]*\)\s*\.toBeLessThan`,
    "g",
  ),
  /\bloadavg\b/g,
];

/** Longest sleep, in ms. A timeout that detects hangs is `PATIENCE_MS` or longer. */
const MAX_SLEEP_MS = 100;
const SLEEPS = [
  /\b(?:wait|pause|sleep)\((\d[\d_]*)\)/g,
  /setTimeout\(\w+, (\d[\d_]*)\)/g,
  /waitForTimeout\((\d[\d_]*)\)/g,
];
const LIMITS = [
  /\buntil\(.*, (\d[\d_]*)\)/g,
  /\bend = (?:Date|performance)\.now\(\) \+ (\d[\d_]*)/g,
  /\(\{ timeout: (\d[\d_]*) \}\)/g,
  /\b(?:exec\w*|spawn\w*|waitFor\w*)\([^;]*?\btimeout: (\d[\d_]*)/g,
  /\bpoll\([^;]*?\btimeout: (\d[\d_]*)/g,
  /\bPATIENCE\w* = (?:\{ timeout: )?(\d[\d_]*)/g,
  // Timeout of a test. Intervals and settings at the end of a line are shorter than a second.
  /^ *\}, (\d[\d_]{3,})\);$/gm,
];

/**
 * Sleeps and limits that the tested behaviour requires: times of the product that no clock of the test
 * replaces.
 */
const KNOWN: Readonly<Record<string, number>> = {
  // A dry run ends a pattern of ten seconds after two.
  "test/e2e/control/which-route-thread.test.ts": 1,
  // The click is expected to fail, so its timeout ends it.
  "test/e2e/captcha/browser/flow.test.ts": 1,
  // A person pauses before the first letter.
  "test/e2e/captcha/browser/task-dialog.ts": 1,
};

const numbers = (text: string, patterns: readonly RegExp[]) =>
  patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, ms = ""]) => Number(ms.replaceAll("_", ""))),
  );

function countIn(text: string): number {
  const verdicts = VERDICTS_BY_THE_CLOCK.flatMap((pattern) => [...text.matchAll(pattern)]);
  const sleeps = numbers(text, SLEEPS).filter((ms) => ms > MAX_SLEEP_MS);
  const limits = numbers(text, LIMITS).filter((ms) => ms < PATIENCE_MS);
  return verdicts.length + sleeps.length + limits.length;
}

describe("tests of npm test", () => {
  it("tests of npm test assert no clock, sleep for at most 100 ms and end no wait before 120 s", () => {
    const found = FILES.filter((file) => file !== "test/architecture/clocks.test.ts")
      .map((file) => [file, countIn(read(file))] as const)
      .filter(([, count]) => count > 0);
    expect(Object.fromEntries(found)).toEqual(KNOWN);
  });

  it.each([
    "expect(performance.now() - start).toBeLessThan(5_000);",
    "const took = performance.now() - start;\nstop();\nexpect(took).toBeLessThan(5_000);",
    "await until(ready, 6_000);",
    "for (const end = Date.now() + 10_000; Date.now() < end; ) look();",
    "await box.click({ timeout: 1500 });",
    'it("x", () => {\n}, 60_000);',
    "await wait(350);",
    'execFile("kcat", [], { timeout: 60_000 });',
    "await expect.poll(() => look(), {\n  timeout: 30_000,\n}).toBe(200);",
  ])("the check of clocks detects: %s", (text) => {
    expect(countIn(text)).toBe(1);
  });
});
