import "../../plugins/index.js";
import { testEnvironment, testsOf } from "../../compiler/2-validate/tests.js";
import { nearest } from "../../compiler/diagnostics/nearest.js";
import { diagnostic } from "../../compiler/diagnostics/report.js";
import type { CompileResult } from "../../compiler/index.js";
import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { Path, SourceText, Spanned } from "../../compiler/model/source.js";
import { pluginNames } from "../../compiler/plugin/registry.js";
import { secretValues } from "../../compiler/secrets/secret-values.js";
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
