import { isObject } from "../../runtime/abi/json-object.js";
import { substitute } from "../1-parse/environment.js";
import { parseSource } from "../1-parse/parse.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Environment } from "../model/input.js";
import type { SourceText, Spanned } from "../model/source.js";
import { below, check } from "./check.js";
import { outlineValidator } from "./validators.js";

/** Only `gwc test` reads these keys of a configuration file. */
export const TESTS = "tests";
const ENVIRONMENT = "test_environment";

/** Removes tests for everything but `gwc test`: valid or invalid tests change nothing. */
export function withoutTests(document: Spanned): Spanned {
  const { value, spans } = document;
  if (!isObject(value)) return document;
  if (!Object.hasOwn(value, TESTS) && !Object.hasOwn(value, ENVIRONMENT)) return document;
  const { [TESTS]: _, [ENVIRONMENT]: __, ...rest } = value;
  return { value: rest, spans };
}

export interface TestsOfFile {
  /** Valid by schema/test.json. */
  tests: Spanned[];
  /** As JSON, with the variables that the tests name. */
  written: string;
  diagnostics: Diagnostic[];
}

export function testEnvironment(source: SourceText): {
  values: Record<string, string>;
  diagnostics: Diagnostic[];
} {
  const none = { values: {}, diagnostics: [] };
  if (!source.text.includes(ENVIRONMENT)) return none;
  const { document } = parseSource(source);
  if (!document || !isObject(document.value) || !Object.hasOwn(document.value, ENVIRONMENT)) return none;
  const values = document.value[ENVIRONMENT];
  const located: Spanned = { value: { [ENVIRONMENT]: values }, spans: document.spans };
  const diagnostics = checkSection(located);
  return { values: diagnostics.length === 0 ? (values as Record<string, string>) : {}, diagnostics };
}

/** Checked and with environment values. A file that is no configuration has no tests. */
export function testsOf(source: SourceText, environment: Environment): TestsOfFile {
  const none: TestsOfFile = { tests: [], written: "", diagnostics: [] };
  if (!source.text.includes(TESTS)) return none;
  const { document } = parseSource(source);
  if (!document || !isObject(document.value) || !Object.hasOwn(document.value, TESTS)) return none;
  const located: Spanned = { value: { [TESTS]: document.value[TESTS] }, spans: document.spans };
  const { document: filled, diagnostics } = substitute(located, { environment, isSymbolic: () => false });
  const list = (filled.value as Record<string, unknown>)[TESTS];
  if (!Array.isArray(list)) {
    return { ...none, diagnostics: [...diagnostics, ...checkSection(filled)] };
  }
  const tests: Spanned[] = [];
  for (const index of list.keys()) {
    const test = below(filled, [TESTS, index]);
    const found = check("test.json", { located: test, root: "test", errorPrefix: "" });
    diagnostics.push(...found);
    if (found.length === 0) tests.push(test);
  }
  return { tests, written: JSON.stringify(located.value), diagnostics };
}

/** The configuration has only one of these keys, and no list under `tests`. */
const checkSection = (located: Spanned): Diagnostic[] =>
  check("configuration.json", { located, root: "configuration", errorPrefix: "" }, outlineValidator());
