import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { nearest } from "../../compiler/diagnostics/nearest.js";
import { reportRedactor, spansOf } from "../../compiler/report/redact-report.js";
import { messageOf } from "../../runtime/abi/error-message.js";
import { withoutNetwork } from "../../runtime/control/in-process/no-network.js";
import { registerPackages } from "../../runtime/control/in-process/package-runtimes.js";
import { WatchedPaths } from "../../runtime/process/watched-paths.js";
import { simulatedGatewayOf } from "../in-process/whole-of-plan.js";
import { printDiagnostics } from "../input.js";
import { type ColorChoice, failed, Progress } from "../output.js";
import { chosenPaths } from "../paths.js";
import { type Coverage, coverageOf, ExecutedCode, joined } from "./coverage.js";
import { type Mutation, mutationOf, mutationsJoined } from "./mutants.js";
import { type RecordOptions, record } from "./record.js";
import { type ReportFormat, reportOf } from "./report.js";
import { isPassing, runSuite, type TestResult } from "./run.js";
import { readSuite, type Suite } from "./suite.js";

const CONFIGURATION = /\.(?:ya?ml|json)$/;

/**
 * Groups paths that are compiled together. A directory without configuration files is replaced by its folders
 * that have some, each a configuration of its own. All other paths are one configuration.
 */
export function groupsOf(paths: readonly string[]): string[][] {
  const together: string[] = [];
  const alone: string[][] = [];
  for (const path of paths) {
    const folders = hasConfiguration(path) === false ? foldersIn(path) : [];
    if (folders.length === 0) together.push(path);
    else alone.push(...folders.map((folder) => [folder]));
  }
  return together.length === 0 ? alone : [together, ...alone];
}

/** @returns undefined if the path is no directory */
function hasConfiguration(path: string): boolean | undefined {
  try {
    if (!statSync(path).isDirectory()) return undefined;
    return readdirSync(path, { withFileTypes: true }).some(
      (entry) => !entry.isDirectory() && !entry.name.startsWith(".") && CONFIGURATION.test(entry.name),
    );
  } catch {
    return undefined;
  }
}

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => join(path, name))
    .filter(hasConfiguration)
    .sort();

interface TestOptions extends RecordOptions {
  config?: string[];
  record?: string;
  format: ReportFormat;
  filter?: string;
  watch?: boolean;
  coverage?: boolean;
  mutate?: boolean;
  quiet?: boolean;
  color?: ColorChoice;
}

/** `gwc test`: exit 0 if all tests pass, 1 if one fails, 2 if the configuration or the tests are invalid. */
export async function test(paths: string[], options: TestOptions): Promise<number> {
  const chosen = chosenPaths(paths, options.config);
  if (chosen === undefined) return 2;
  if (options.record !== undefined) return recorded(chosen, options.record, options);
  withoutNetwork();
  const first = await once(chosen, options);
  return options.watch === true ? watching(chosen, options) : first;
}

async function once(paths: readonly string[], options: TestOptions): Promise<number> {
  const began = performance.now();
  const progress = new Progress(options.quiet === true);
  progress.stage("compiling");
  const suites: Suite[] = [];
  for (const group of groupsOf(paths)) suites.push(await readSuite(group));
  progress.end();
  if (printErrors(suites, options.color)) return 2;
  const names = suites.flatMap(({ tests }) => tests.map(({ value }) => value.name));
  const wanted = (name: string) => name.toLowerCase().includes((options.filter ?? "").toLowerCase());
  if (!names.some(wanted)) return failed(nothingToRun(names, options.filter), 2);
  const ran: TestResult[] = [];
  const coverages: Coverage[] = [];
  const mutations: Mutation[] = [];
  for (const suite of suites) {
    const tests = suite.tests.filter(({ value }) => wanted(value.name));
    progress.stage(`running ${tests.length} tests`);
    const { own, coverage, mutation } = await tried(suite, tests, options);
    const hide = reportRedactor(suite.hidden);
    ran.push(...own.map(hide));
    if (coverage !== undefined) coverages.push(hide(coverage));
    if (mutation !== undefined) mutations.push(hide(mutation));
  }
  progress.end();
  const coverage = options.coverage === true ? joined(coverages) : undefined;
  const isJudged = options.mutate === true && ran.every(isPassing);
  const mutation = isJudged ? mutationsJoined(mutations) : undefined;
  process.stdout.write(reportOf(options.format, { ran, coverage, mutation, ms: performance.now() - began }));
  return ran.every(isPassing) ? 0 : 1;
}

/** Returns true if there are any. */
function printErrors(suites: readonly Suite[], color: ColorChoice | undefined): boolean {
  const broken = suites.filter(({ errors }) => errors.length > 0);
  for (const { compiled, errors, hidden } of broken) {
    printDiagnostics(
      "text",
      { ...compiled, diagnostics: errors },
      { hidden: spansOf(compiled.sources, hidden), color },
    );
  }
  return broken.length > 0;
}

async function recorded(paths: readonly string[], url: string, options: TestOptions): Promise<number> {
  const [group = [], ...more] = groupsOf(paths);
  try {
    if (more.length > 0) throw new Error("--record needs one configuration: name it");
    const suite = await readSuite(group);
    if (printErrors([suite], options.color)) return 2;
    await record(suite, url, options);
    return 0;
  } catch (error) {
    return failed(messageOf(error), 2);
  }
}

async function tried(suite: Suite, tests: Suite["tests"], { coverage: counted, mutate }: TestOptions) {
  await registerPackages(suite.compiled.packages);
  const executed = counted ? new ExecutedCode() : undefined;
  executed?.start();
  const { plan, artifact } = suite.compiled.result ?? {};
  const whole = simulatedGatewayOf({ plan, artifact });
  const own = await runSuite(suite, tests, whole);
  const coverage = executed && coverageOf(suite, own, whole, executed.stop());
  // If a test fails already, the effect of a mutation is unknown.
  const judges = mutate === true && own.every(isPassing);
  const mutation = judges ? await mutationOf(suite, tests, own, whole) : undefined;
  return { own, coverage, mutation };
}

function nothingToRun(names: readonly string[], filter: string | undefined): string {
  if (names.length === 0) return "there are no tests: write them under `tests:` (docs/testing.md)";
  const near = nearest(filter ?? "", names);
  const meant = near === undefined ? "" : `; did you mean "${near}"?`;
  return `none of ${names.length} tests has "${filter}" in its name${meant}`;
}

async function watching(paths: readonly string[], options: TestOptions): Promise<number> {
  const folders = groupsOf(paths).flat();
  let turn = Promise.resolve(0);
  const again = () => {
    turn = turn.then(() => once(paths, options));
  };
  const watched = new WatchedPaths(
    folders.map((path) => resolve(path)),
    false,
    again,
  );
  watched.start();
  await new Promise<void>((stopped) => {
    process.once("SIGINT", () => stopped());
    process.once("SIGTERM", () => stopped());
  });
  watched.stop();
  return turn;
}
