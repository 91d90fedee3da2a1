import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { SourceText } from "../../compiler/parse/source.js";
import { environmentReferences } from "../../runtime/abi/environment.js";

const MADE_UP = "stand-in-of-";

/**
 * Values for variables of the sources: those that are given, and for each that is not set the same made-up text wherever it is
 * named, so that what needs a secret, or a place to run at, can be tested where there is none.
 */
export function variableFixtures(
  sources: readonly SourceText[],
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const values: Record<string, string> = { ...given };
  const references = sources.flatMap(({ text }) => environmentReferences(text));
  const isKnown = (name: string) => Boolean(process.env[name]) || Object.hasOwn(given, name);
  // One that has a default where it is named once has it everywhere.
  for (const { name, fallback } of references)
    if (!isKnown(name) && fallback !== undefined) values[name] ??= fallback;
  for (const { name } of references) if (!isKnown(name)) values[name] ??= `${MADE_UP}${name}`;
  return values;
}

/** An error at a made-up value says what to do: there it has to be one of those that fit. */
export function withVariables(error: Diagnostic, sources: readonly SourceText[]): Diagnostic {
  const { span } = error;
  const text = sources.find(({ name }) => name === span?.file)?.text;
  if (span === undefined || text === undefined) return error;
  const { start, end } = span;
  const written = text
    .split(/\r?\n/)
    [start.line - 1]?.slice(start.column - 1, start.line === end.line ? end.column - 1 : 0);
  // A list or an object that holds such a value may be wrong for any reason.
  if (written === undefined || /^[[{]/.test(written) || error.code === "GW1021") return error;
  const named = environmentReferences(written);
  const first = named.find(({ name, fallback }) => fallback === undefined && !process.env[name]);
  if (first === undefined) return error;
  const { name } = first;
  return {
    ...error,
    help: `${name} is not set, and a made-up value stands for it: set it, or name one that fits beside "tests": test_environment: { ${name}: … }`,
  };
}
