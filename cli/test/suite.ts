import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { readSources } from "../../compiler/parse/files.js";
import type { Located } from "../../compiler/parse/source.js";
import { testEnvironment, testsOf } from "../../compiler/validate/tests.js";
import { type Compiled, compileSources, hasErrors } from "../input.js";
import { hiddenTexts } from "../secret-texts.js";
import { repeatedNames, unknownNames } from "./names.js";
import { standInsFor, withVariables } from "./stand-ins.js";
import type { WrittenTest } from "./written-test.js";

/** A configuration and its tests. */
export interface Suite {
  compiled: Compiled;
  /** Errors of the configuration and of the tests. */
  errors: Diagnostic[];
  tests: Located<WrittenTest>[];
  /** Values that the files give to variables for tests, and a made-up one for each that is named and not set. */
  standIns: Readonly<Record<string, string>>;
  /** Texts that no report shows. */
  hidden: string[];
}

/** Compiles the files and reads their tests. */
export async function readSuite(paths: readonly string[]): Promise<Suite> {
  const read = readSources(paths);
  const given = read.sources.map(testEnvironment);
  const standIns = standInsFor(read.sources, Object.assign({}, ...given.map(({ values }) => values)));
  const environment = { ...process.env, ...standIns };
  // A package that cannot be loaded at run time is a finding then.
  const compiled = await compileSources(read, { bundle: true, environment });
  const { sources, result, diagnostics } = compiled;
  const ofFiles = sources.map((source) => testsOf(source, environment));
  const tests = ofFiles.flatMap((one) => one.tests) as Located<WrittenTest>[];
  const routes = result?.plan?.routes.map(({ row }) => row.id);
  const found = [...diagnostics, ...[...given, ...ofFiles].flatMap((one) => one.diagnostics)];
  found.push(...repeatedNames(tests), ...(routes === undefined ? [] : unknownNames(tests, routes)));
  const resources = result?.resources ?? [];
  const errors = hasErrors(found) ? found.filter(({ severity }) => severity === "error") : [];
  return {
    compiled,
    errors: errors.map((error) => withVariables(error, sources)),
    tests,
    standIns,
    hidden: [
      ...(result?.secrets.values() ?? []),
      // Variables are left in compiled resources where their values are secrets or of the place where the gateway runs.
      ...hiddenTexts(resources, result?.deployment, [
        ...ofFiles.map(({ written }) => written),
        ...resources.map(({ value }) => JSON.stringify(value)),
      ]),
    ],
  };
}

/** Sets them while `use` runs: some of what plugins do at run time asks the process. */
export async function withStandIns<T>({ standIns }: Suite, use: () => Promise<T>): Promise<T> {
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
