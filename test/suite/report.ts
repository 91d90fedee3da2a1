import type { FileResult } from "./vitest-run.js";

/** Outcome of a step. Scripts have no files. */
export interface StepResult {
  name: string;
  budget: number;
  seconds: number;
  isGreen: boolean;
  files: readonly FileResult[];
  /** Errors of no test, and files that did not run. */
  outside: readonly string[];
  passed: number;
  failed: number;
  skipped: number;
}

/** A file that was red and passed at its second try. */
export interface Flaky {
  step: string;
  file: string;
  test: string;
  /** First line of the error of the first try. */
  error: string;
}

/** More of them in one run are red: a machine's bad moment does not hit four files. */
export const MAX_FLAKY = 3;

const SLOWEST = 10;

/** Text of the end of a run: red and flaky tests, a table of steps, the slowest files, and a line for machines. */
export function reportText(steps: readonly StepResult[], flaky: readonly Flaky[]): string {
  const tests = { passed: 0, failed: 0, skipped: 0 };
  for (const step of steps) {
    tests.passed += step.passed;
    tests.failed += step.failed;
    tests.skipped += step.skipped;
  }
  const recovered = new Set(flaky.map(({ step, file }) => `${step} ${file}`));
  const red = steps.flatMap(({ name, files }) =>
    files.filter(({ file, failures }) => failures.length > 0 && !recovered.has(`${name} ${file}`)),
  );
  return [
    "",
    ...red.flatMap(({ file, failures }) =>
      failures.map(({ title, error }) => `RED: ${file} > ${title}: ${error}`),
    ),
    ...steps.flatMap(({ name, outside }) =>
      outside.map((error) => `RED: ${name}, outside of tests: ${error}`),
    ),
    ...flaky.map(({ file, test, error }) => `FLAKY (passed at the second try): ${file} > ${test}: ${error}`),
    ...steps
      .flatMap(({ files }) => files)
      .filter((file) => file.skipped > 0 && !red.includes(file))
      .map(({ file, skipped, leftOut }) => `left out: ${skipped} of ${file}, first: ${leftOut}`),
    ...(flaky.length > MAX_FLAKY ? [`RED: ${flaky.length} flaky files, allowed ${MAX_FLAKY}`] : []),
    "",
    ...stepTable(steps),
    "",
    `slowest files: ${slowest(steps).join(", ")}`,
    ...steps
      .filter(({ seconds, budget }) => seconds > budget)
      .map(
        ({ name, seconds, budget }) => `over budget: ${name} took ${Math.round(seconds)} s of ${budget} s`,
      ),
    "",
    `tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`,
    "",
  ].join("\n");
}

function stepTable(steps: readonly StepResult[]): string[] {
  const rows = steps.map((step) => [
    step.name,
    step.isGreen ? "green" : "RED",
    String(step.files.length || ""),
    String(step.passed + step.failed || ""),
    String(Math.round(step.seconds)),
    String(step.budget),
  ]);
  const all = [["step", "", "files", "tests", "seconds", "budget"], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}

function slowest(steps: readonly StepResult[]): string[] {
  return steps
    .flatMap(({ files }) => files)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(
      ({ file, seconds }) =>
        `${file.replace(/^test\//, "").replace(/\.test\.ts$/, "")} ${Math.round(seconds)} s`,
    );
}
