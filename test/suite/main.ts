/** `npm test` and `npm run test:long`: runs the steps of a suite, gives files with real peers a second try, and reports. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./files.js";
import { endProcesses } from "./leftovers.js";
import { MAX_FLAKY, reportText, type StepResult } from "./report.js";
import { mayRecover, tryAgain } from "./second-try.js";
import { LONG_STEPS, SHORT, type Step } from "./steps.js";
import { RESULTS, run, runVitest } from "./vitest-run.js";

const HELP = `npm test [-- --only STEP[,STEP]]
npm run test:long [-- --only STEP[,STEP]]

Runs the steps in their order. \`npm test\` ends at the first red step, unless only files with real peers are red: those run once more, \`npm run test:long\` runs all.
Reports are in test-results/; a whole green run writes passed.json or passed-long.json there.

  --only STEP[,STEP]  these steps alone
  --help              this text

Steps of npm test:          ${SHORT.map(({ name }) => name).join(", ")}
Steps of npm run test:long: ${LONG_STEPS.map(({ name }) => name).join(", ")}
`;

const say = (text: string) => process.stdout.write(`${text}\n`);

function usage(problem: string): never {
  process.stderr.write(`${problem}\n\n${HELP}`);
  process.exit(2);
}

function readArguments() {
  const options = { long: { type: "boolean" }, only: { type: "string" }, help: { type: "boolean" } } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

/** @throws never; a name that no step has ends the process with 2 */
function chosen(all: readonly Step[], only: string | undefined): readonly Step[] {
  if (only === undefined) return all;
  const names = only.split(",");
  const unknown = names.filter((name) => !all.some((step) => step.name === name));
  if (unknown.length > 0) usage(`no step is called ${unknown.join(", ")}`);
  return all.filter(({ name }) => names.includes(name));
}

async function runStep({ name, budget, run: work }: Step): Promise<StepResult> {
  say(`\n=== ${name} ===`);
  const start = performance.now();
  const none = { files: [], outside: [], passed: 0, failed: 0, skipped: 0 };
  const { exitCode, ...result } =
    "script" in work
      ? { exitCode: await run("npm", ["run", "--silent", work.script]), ...none }
      : await runVitest(work.projects, name);
  return { name, budget, seconds: (performance.now() - start) / 1_000, isGreen: exitCode === 0, ...result };
}

/** Name of the git tree of the working directory as it is, uncommitted changes included; undefined outside of git. */
function workingTree(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), "gwc-index-"));
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, GIT_INDEX_FILE: join(directory, "index") },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    git("add", "--all");
    return git("write-tree");
  } catch {
    return undefined;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Gives the run a folder for its temporary files. At the end, and at a signal, the folder goes, and the processes that tests left. */
function useOwnTemporaryFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), "gwc-suite-"));
  // As /tmp is: what root starts may change its user, as httpd and apt do.
  chmodSync(folder, 0o1777);
  process.env["TMPDIR"] = folder;
  process.once("exit", () => {
    for (const command of endProcesses(folder)) say(`ended: ${command}`);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  // Ctrl-C comes twice, from the terminal and from npm: the second does not end the clearing.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => process.exit(128 + constants.signals[signal]));
}

async function main(): Promise<number> {
  const { long = false, only, help = false } = readArguments();
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  const steps = chosen(long ? LONG_STEPS : SHORT, only);
  useOwnTemporaryFolder();
  // With it, tests of expected files write them and pass.
  delete process.env["UPDATE"];
  const passedFile = join(RESULTS, long ? "passed-long.json" : "passed.json");
  mkdirSync(RESULTS, { recursive: true });
  rmSync(passedFile, { force: true });
  const tree = workingTree();
  const start = performance.now();
  const results: StepResult[] = [];
  for (const step of steps) {
    const result = await runStep(step);
    results.push(result);
    if (!result.isGreen && !long && !mayRecover(result)) break;
  }
  const flaky = await tryAgain(steps, results, (projects, report, file) => {
    say(`\n=== second try: ${file} ===`);
    return runVitest(projects, report, [file]);
  });
  say(reportText(results, flaky));
  const seconds = Math.round((performance.now() - start) / 1_000);
  writeFileSync(join(RESULTS, "flaky.json"), `${JSON.stringify(flaky, null, 2)}\n`);
  const isGreen = results.every((result) => result.isGreen) && flaky.length <= MAX_FLAKY;
  if (isGreen && only === undefined) {
    if (workingTree() === tree)
      writeFileSync(passedFile, `${JSON.stringify({ tree, node: process.version, seconds, flaky })}\n`);
    else say("The working directory has changed during the run: it proves no tree.");
  }
  return isGreen ? 0 : 1;
}

process.exitCode = await main();
