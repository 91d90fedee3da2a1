import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { Located } from "../../compiler/parse/source.js";
import { testsOf } from "../../compiler/validate/tests.js";
import { environmentReferences } from "../../runtime/abi/environment.js";
import type { WrittenExchange } from "../in-process/written.js";
import { type Compiled, compilePaths, hasErrors } from "../input.js";
import { hiddenTexts } from "../secret-texts.js";

export interface WrittenTest extends WrittenExchange {
  name: string;
}

/** A configuration and its tests. */
export interface Suite {
  compiled: Compiled;
  /** Errors of the configuration and of the tests. */
  errors: Diagnostic[];
  tests: Located<WrittenTest>[];
  /** A made-up value for each variable that is named and not set. */
  standIns: Readonly<Record<string, string>>;
  /** Texts that no report shows. */
  hidden: string[];
}

/** Compiles the files and reads their tests. */
export async function readSuite(paths: readonly string[]): Promise<Suite> {
  // A package that cannot be loaded at run time is a finding then.
  const compiled = await compilePaths(paths, { bundle: true });
  const { sources, result, diagnostics } = compiled;
  const standIns = standInsFor(sources.flatMap(({ text }) => environmentReferences(text)));
  const environment = { ...process.env, ...standIns };
  const read = sources.map((source) => testsOf(source, environment));
  const found = [...diagnostics, ...read.flatMap((one) => one.diagnostics)];
  const resources = result?.resources ?? [];
  return {
    compiled,
    errors: hasErrors(found) ? found.filter(({ severity }) => severity === "error") : [],
    tests: read.flatMap((one) => one.tests) as Located<WrittenTest>[],
    standIns,
    hidden: [
      ...(result?.secrets.values() ?? []),
      // Variables are left in compiled resources where their values are secrets or of the place where the gateway runs.
      ...hiddenTexts(resources, result?.deployment, [
        ...read.map(({ written }) => written),
        ...resources.map(({ value }) => JSON.stringify(value)),
      ]),
    ],
  };
}

/** A variable that is not set is the same text wherever it is named, so that secrets can be tested where there are none. */
function standInsFor(references: readonly { name: string; fallback: string | undefined }[]) {
  const unset = references.filter(({ name, fallback }) => !process.env[name] && fallback === undefined);
  return Object.fromEntries(unset.map(({ name }) => [name, `stand-in-of-${name}`]));
}

/** Sets them while `use` runs: some of what plugins do at run time asks the process. */
export async function withStandIns<T>({ standIns }: Suite, use: () => Promise<T>): Promise<T> {
  Object.assign(process.env, standIns);
  try {
    return await use();
  } finally {
    for (const name of Object.keys(standIns)) delete process.env[name];
  }
}
