import { startsPeer } from "./files.js";
import type { Flaky, StepResult } from "./report.js";
import type { Step } from "./steps.js";
import type { VitestResult } from "./vitest-run.js";

/** Runs one file of projects alone. `report` is the name of its reports. */
export type RunFile = (projects: readonly string[], report: string, file: string) => Promise<VitestResult>;

const redFiles = ({ files }: StepResult) => files.filter(({ failures }) => failures.length > 0);

/** True if second tries may explain all that is red: nothing failed outside of tests, and each red file starts a peer. */
export function mayRecover(result: StepResult): boolean {
  const red = redFiles(result);
  return result.outside.length === 0 && red.length > 0 && red.every(({ file }) => startsPeer(file));
}

/** Runs red files once more, each alone, if real peers share in their verdict. @returns those that passed; their steps become green */
export async function tryAgain(
  steps: readonly Step[],
  results: readonly StepResult[],
  runFile: RunFile,
): Promise<Flaky[]> {
  const flaky: Flaky[] = [];
  for (const [index, { name, run: work }] of steps.entries()) {
    const result = results[index];
    if ("script" in work || result === undefined || result.isGreen) continue;
    const red = redFiles(result);
    let recovered = 0;
    for (const [number, first] of red.filter(({ file }) => startsPeer(file)).entries()) {
      const again = await runFile(work.projects, `${name}-again-${number}`, first.file);
      // A peer that is gone by now leaves out every test.
      if (again.exitCode !== 0 || again.passed === 0) continue;
      recovered++;
      result.passed += again.passed - first.passed;
      result.failed += again.failed - first.failed;
      result.skipped += again.skipped - first.skipped;
      const [failure] = first.failures;
      const [last] = again.files;
      if (last !== undefined) Object.assign(first, { skipped: last.skipped, leftOut: last.leftOut });
      flaky.push({ step: name, file: first.file, test: failure?.title ?? "", error: failure?.error ?? "" });
    }
    result.isGreen = mayRecover(result) && recovered === red.length;
  }
  return flaky;
}
