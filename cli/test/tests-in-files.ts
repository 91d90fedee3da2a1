import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { CompileResult } from "../../compiler/index.js";
import type { SourceText, Spanned } from "../../compiler/parse/source.js";
import { secretValues } from "../../compiler/secret-values.js";
import { testEnvironment, testsOf } from "../../compiler/validate/tests.js";
import { repeatedNames, unknownNames } from "./names.js";
import type { TestSpec } from "./test-spec.js";
import { variableFixtures, withVariables } from "./variable-fixtures.js";

/** Tests that stand in files of a configuration, before anything is compiled. */
export interface TestsInFiles {
  tests: Spanned<TestSpec>[];
  /** All of them as JSON, with the variables that they name. */
  written: string[];
  /** Values that the files give to variables for tests, and a made-up one for each that is named and not set. */
  standIns: Readonly<Record<string, string>>;
  /** Variables of the process and those values. */
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

/** What is wrong with tests, in themselves and beside their configuration, where that compiles. */
export function faultsOfTests(
  { tests, diagnostics }: TestsInFiles,
  result: CompileResult | undefined,
  sources: readonly SourceText[],
): Diagnostic[] {
  const routes = result?.plan?.routes.map(({ row }) => row.id);
  const named = routes === undefined ? [] : unknownNames(tests, routes);
  return [...diagnostics, ...repeatedNames(tests), ...named].map((error) => withVariables(error, sources));
}

/** Texts that nothing that is said about tests shows. */
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
      // Compiled resources have values in the place of most variables, and files of JSON may escape names of variables.
      [
        ...written,
        ...sources.map(({ text }) => text),
        ...resources.map(({ value }) => JSON.stringify(value)),
      ],
      process.env,
    ),
  ];
}
