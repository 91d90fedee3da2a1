import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { filesOf, ROOT } from "./files.js";
import { type OutsideErrors, outsideFile } from "./outside-errors.js";

/** Reports of a run: JSON and JUnit of each step, flaky files, `passed.json`. Ignored by git. */
export const RESULTS = join(ROOT, "test-results");

export interface FileResult {
  /** Path relative to the root. */
  file: string;
  seconds: number;
  passed: number;
  failed: number;
  skipped: number;
  /** Title of the first skipped test, which names the reason; "" if there is none. */
  leftOut: string;
  /** Titles of red tests with the first line of their error; one with an empty title if the file itself or a hook failed. */
  failures: { title: string; error: string }[];
}

export interface VitestResult {
  exitCode: number;
  files: FileResult[];
  /** Errors of no test, and files that did not run. No second try explains them. */
  outside: string[];
  passed: number;
  failed: number;
  skipped: number;
}

/** Members of vitest's JSON report that are read here. */
interface JsonReport {
  testResults: {
    name: string;
    status: "passed" | "failed";
    startTime: number;
    endTime: number;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

/**
 * Runs projects of test/vitest.config.ts in a process of their own; output goes to this process's output.
 * @param report name of the reports in `RESULTS`
 * @param files only these, if any are named
 */
export async function runVitest(
  projects: readonly string[],
  report: string,
  files: readonly string[] = [],
): Promise<VitestResult> {
  mkdirSync(RESULTS, { recursive: true });
  const [json, junit] = [join(RESULTS, `${report}.json`), join(RESULTS, `${report}.junit.xml`)];
  for (const old of [json, outsideFile(json)]) rmSync(old, { force: true });
  const exitCode = await run(process.execPath, [
    join(ROOT, "node_modules/vitest/vitest.mjs"),
    ...["run", "--config", "test/vitest.config.ts"],
    ...projects.flatMap((project) => ["--project", project]),
    ...["--reporter=default", "--reporter=json", "--reporter=junit"],
    `--reporter=${join(ROOT, "test/suite/outside-errors.ts")}`,
    ...[`--outputFile.json=${json}`, `--outputFile.junit=${junit}`],
    // A focused test leaves out the others of its file.
    "--allowOnly=false",
    ...files,
  ]);
  if (![json, outsideFile(json)].every((path) => existsSync(path)))
    return {
      ...{ exitCode: exitCode || 1, files: [], passed: 0, failed: 0, skipped: 0 },
      outside: [`vitest ended with ${exitCode} and wrote no report`],
    };
  const expected = files.length > 0 ? files : projects.flatMap(filesOf);
  const outside = JSON.parse(readFileSync(outsideFile(json), "utf8")) as OutsideErrors;
  const summary = summarize(readFileSync(json, "utf8"), outside, expected);
  return { exitCode: exitCode || (summary.outside.length > 0 ? 1 : 0), ...summary };
}

/**
 * @param json report of vitest's reporter "json"
 * @param expected files that were to run
 */
export function summarize(
  json: string,
  { unhandled, hooks }: OutsideErrors,
  expected: readonly string[],
): Omit<VitestResult, "exitCode"> {
  const report = JSON.parse(json) as JsonReport;
  const files = report.testResults.map(({ name, startTime, endTime, status, message, assertionResults }) => {
    const failures = assertionResults.flatMap((test) =>
      test.status === "failed"
        ? [{ title: test.fullName, error: firstLine(test.failureMessages?.[0] ?? "") }]
        : [],
    );
    if (status === "failed" && failures.length === 0)
      failures.push({ title: "", error: firstLine(hooks[name] ?? message) });
    const count = (wanted: string) => assertionResults.filter((test) => test.status === wanted).length;
    const [passed, failed] = [count("passed"), count("failed")];
    const leftOut = assertionResults.find((test) => !["passed", "failed"].includes(test.status));
    return {
      ...{ file: relative(ROOT, name), seconds: (endTime - startTime) / 1_000, failures },
      ...{ passed, failed, skipped: assertionResults.length - passed - failed },
      leftOut: leftOut?.fullName ?? "",
    };
  });
  const ran = new Set(files.map(({ file }) => file));
  const absent = expected.filter((file) => !ran.has(file)).map((file) => `${file} did not run`);
  const sum = (of: (file: FileResult) => number) => files.reduce((all, file) => all + of(file), 0);
  return {
    files,
    outside: [...unhandled.map(firstLine), ...absent],
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
  };
}

/**
 * Runs a command in a session of its own: Ctrl-C ends this process, which ends the command and all that it has started.
 * @returns the exit code; 1 if a signal ended the command or it could not be started
 */
export async function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return code ?? 1;
  } catch (error) {
    process.stderr.write(`${command}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
