import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./files.js";

/** Reports of a run: JSON and JUnit of each step, flaky files, `passed.json`. Ignored by git. */
export const RESULTS = join(ROOT, "test-results");

export interface FileResult {
  /** Path relative to the root. */
  file: string;
  seconds: number;
  /** Titles of red tests with the first line of their error; one with an empty title if the file itself failed. */
  failures: { title: string; error: string }[];
}

export interface VitestResult {
  exitCode: number;
  files: FileResult[];
  passed: number;
  failed: number;
  skipped: number;
}

/** Members of vitest's JSON report that are read here. */
interface JsonReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
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
  rmSync(json, { force: true });
  const exitCode = await run(process.execPath, [
    join(ROOT, "node_modules/vitest/vitest.mjs"),
    ...["run", "--config", "test/vitest.config.ts"],
    ...projects.flatMap((project) => ["--project", project]),
    ...["--reporter=default", "--reporter=json", "--reporter=junit"],
    ...[`--outputFile.json=${json}`, `--outputFile.junit=${junit}`],
    ...files,
  ]);
  return existsSync(json)
    ? { exitCode, ...summarize(readFileSync(json, "utf8")) }
    : { exitCode: exitCode || 1, files: [], passed: 0, failed: 0, skipped: 0 };
}

/** @param json report of vitest's reporter "json" */
export function summarize(json: string): Omit<VitestResult, "exitCode"> {
  const report = JSON.parse(json) as JsonReport;
  const files = report.testResults.map(({ name, startTime, endTime, status, message, assertionResults }) => {
    const failures = assertionResults.flatMap((test) =>
      test.status === "failed"
        ? [{ title: test.fullName, error: firstLine(test.failureMessages?.[0] ?? "") }]
        : [],
    );
    if (status === "failed" && failures.length === 0) failures.push({ title: "", error: firstLine(message) });
    return { file: relative(ROOT, name), seconds: (endTime - startTime) / 1_000, failures };
  });
  return {
    files,
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** @returns the exit code; 1 if a signal ended the command or it could not be started */
export async function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return code ?? 1;
  } catch (error) {
    process.stderr.write(`${command}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
