import type { Environment } from "../../compiler/model/input.js";
import "../../plugins/index.js";
import { readSources } from "../../compiler/1-parse/files.js";
import { testEnvironment, testsOf } from "../../compiler/2-validate/tests.js";
import { nearest } from "../../compiler/diagnostics/nearest.js";
import { diagnostic } from "../../compiler/diagnostics/report.js";
import type { CompileResult } from "../../compiler/index.js";
import { type Diagnostic, isError } from "../../compiler/model/diagnostic.js";
import type { Path, SourceText, Spanned } from "../../compiler/model/source.js";
import { pluginNames } from "../../compiler/plugin/registry.js";
import { secretValues } from "../../compiler/secrets/secret-values.js";
import { environmentReferences } from "../../runtime/abi/environment.js";
import type { ExchangeSpec } from "../../runtime/control/in-process/exchange-spec.js";
import { type Compiled, compileSources } from "../input.js";

export interface TestSpec extends ExchangeSpec {
  name: string;
}

export interface Suite {
  compiled: Compiled;
  /** Errors of the configuration and of the tests. */
  errors: Diagnostic[];
  tests: Spanned<TestSpec>[];
  /** Values of variables for tests: those in the files, and a made-up one for each variable that is not set. */
  standIns: Readonly<Record<string, string>>;
  /** Texts that no report may show. */
  hidden: string[];
}

export async function readSuite(paths: readonly string[]): Promise<Suite> {
  const read = readSources(paths);
  const inFiles = testsInFiles(read.sources);
  const { tests, standIns, environment } = inFiles;
  // With bundles, a package that cannot be loaded at run time causes a diagnostic.
  const compiled = await compileSources(read, { bundle: true, environment });
  const { sources, result, diagnostics } = compiled;
  const found = [
    ...diagnostics.map((one) => withVariables(one, sources)),
    ...faultsOfTests(inFiles, result, sources),
  ];
  const errors = found.filter(isError);
  return { compiled, errors, tests, standIns, hidden: secretTextsOfTests(inFiles, result, sources) };
}

/** Sets the variables while `use` runs, because runtime parts of plugins read some from the process. */
export async function withVariableFixtures<T>({ standIns }: Suite, use: () => Promise<T>): Promise<T> {
  const before = Object.keys(standIns).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, standIns);
  try {
    return await use();
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}

const MADE_UP = "stand-in-of-";

/**
 * Values for variables of the sources: the given ones, and a made-up text for each that is not set. So a
 * configuration that needs a secret or a path can be tested where there is none.
 */
function variableFixtures(
  sources: readonly SourceText[],
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const values: Record<string, string> = { ...given };
  const references = sources.flatMap(({ text }) => environmentReferences(text));
  const isKnown = (name: string) => Boolean(process.env[name]) || Object.hasOwn(given, name);
  // A default of one reference applies to all references of the variable.
  for (const { name, fallback } of references)
    if (!isKnown(name) && fallback !== undefined) values[name] ??= fallback;
  for (const { name } of references) if (!isKnown(name)) values[name] ??= `${MADE_UP}${name}`;
  return values;
}

/** Adds help to an error at a made-up value: name a value that is valid there. */
function withVariables(error: Diagnostic, sources: readonly SourceText[]): Diagnostic {
  const { span } = error;
  const text = sources.find(({ name }) => name === span?.file)?.text;
  if (span === undefined || text === undefined) return error;
  const { start, end } = span;
  const written = text
    .split(/\r?\n/)
    [start.line - 1]?.slice(start.column - 1, start.line === end.line ? end.column - 1 : 0);
  // A list or an object with such a value may be invalid for another reason.
  if (written === undefined || /^[[{]/.test(written) || error.code === "GW1021") return error;
  const named = environmentReferences(written);
  const first = named.find(({ name, fallback }) => fallback === undefined && !process.env[name]);
  if (first === undefined) return error;
  const { name } = first;
  return {
    ...error,
    help: `${name} is not set and has a placeholder: set it, or give a valid value next to "tests": test_environment: { ${name}: … }`,
  };
}

/** Tests in the files of a configuration, read before the compile. */
export interface TestsInFiles {
  tests: Spanned<TestSpec>[];
  /** All of them as JSON, with references to variables. */
  written: string[];
  /** Values of variables for tests: those in the files, and a made-up one for each variable that is not set. */
  standIns: Readonly<Record<string, string>>;
  /** Variables of the process, and those values. */
  environment: Environment;
  diagnostics: Diagnostic[];
}

export function testsInFiles(sources: readonly SourceText[]): TestsInFiles {
  const given = sources.map(testEnvironment);
  const standIns = variableFixtures(sources, Object.assign({}, ...given.map(({ values }) => values)));
  const environment = { ...process.env, ...standIns };
  const ofFiles = sources.map((source) => testsOf(source, environment));
  return {
    tests: ofFiles.flatMap(({ tests }) => tests) as Spanned<TestSpec>[],
    written: ofFiles.map(({ written }) => written),
    standIns,
    environment,
    diagnostics: [...given, ...ofFiles].flatMap((one) => one.diagnostics),
  };
}

/** Diagnostics of tests: of each by itself and, if the configuration compiles, against the configuration. */
export function faultsOfTests(
  { tests, diagnostics }: TestsInFiles,
  result: CompileResult | undefined,
  sources: readonly SourceText[],
): Diagnostic[] {
  const routes = result?.plan?.routes.map(({ row }) => row.id);
  const named = routes === undefined ? [] : unknownNames(tests, routes);
  return [...diagnostics, ...repeatedNames(tests), ...named].map((error) => withVariables(error, sources));
}

/** Secrets that no output about tests may show. */
export function secretTextsOfTests(
  { written }: TestsInFiles,
  result: CompileResult | undefined,
  sources: readonly SourceText[],
): string[] {
  const resources = result?.resources ?? [];
  return [
    ...(result?.secrets.values() ?? []),
    ...secretValues(
      resources,
      result?.deployment,
      // Compiled resources contain the values of most variables, and JSON files may escape the names of variables.
      [
        ...written,
        ...sources.map(({ text }) => text),
        ...resources.map(({ value }) => JSON.stringify(value)),
      ],
      process.env,
    ),
  ];
}

type Tests = readonly Spanned<TestSpec>[];

function repeatedNames(tests: Tests): Diagnostic[] {
  const first = new Map<string, Spanned<TestSpec>>();
  return tests.flatMap((test) => {
    const { name } = test.value;
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, test);
      return [];
    }
    const notes = [{ message: "first test of this name", span: earlier.spans.value(["name"]) }];
    return [diagnostic("GW2130", test.spans.value(["name"]), { name }, { notes })];
  });
}

/** Reports routes and loggers that tests expect and the configuration lacks. */
function unknownNames(tests: Tests, routes: readonly string[]): Diagnostic[] {
  const known = { route: new Set(routes), plugin: new Set(pluginNames()) };
  return tests.flatMap(({ value: { expect }, spans }) => {
    const judged = (kind: keyof typeof known, name: string, path: Path): Diagnostic[] => {
      if (known[kind].has(name)) return [];
      const near = nearest(name, known[kind]);
      const help = near === undefined ? {} : { help: `did you mean "${near}"?` };
      return [diagnostic("GW2131", spans.value(["expect", ...path]), { kind, name }, help)];
    };
    const { route, log = [] } = expect;
    return [
      ...(route === undefined || route === false ? [] : judged("route", String(route), ["route"])),
      ...log.flatMap(({ plugin }, i) => judged("plugin", plugin, ["log", i, "plugin"])),
    ];
  });
}
