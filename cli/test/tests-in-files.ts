import { testEnvironment, testsOf } from "../../compiler/2-validate/tests.js";
import type { CompileResult } from "../../compiler/index.js";
import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { SourceText, Spanned } from "../../compiler/model/source.js";
import { secretValues } from "../../compiler/secrets/secret-values.js";
import { repeatedNames, unknownNames } from "./names.js";
import type { TestSpec } from "./test-spec.js";
import { variableFixtures, withVariables } from "./variable-fixtures.js";

/** Tests in the files of a configuration, read before the compile. */
export interface TestsInFiles {
  tests: Spanned<TestSpec>[];
  /** All of them as JSON, with references to variables. */
  written: string[];
  /** Values of variables for tests: those in the files, and a made-up one for each variable that is not set. */
  standIns: Readonly<Record<string, string>>;
  /** Variables of the process, and those values. */
  environment: Readonly<Record<string, string | undefined>>;
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
