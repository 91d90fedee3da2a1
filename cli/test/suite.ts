import { readSources } from "../../compiler/1-parse/files.js";
import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { Spanned } from "../../compiler/model/source.js";
import { type Compiled, compileSources, hasErrors } from "../input.js";
import type { TestSpec } from "./test-spec.js";
import { faultsOfTests, secretTextsOfTests, testsInFiles } from "./tests-in-files.js";
import { withVariables } from "./variable-fixtures.js";

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
  const errors = hasErrors(found) ? found.filter(({ severity }) => severity === "error") : [];
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
