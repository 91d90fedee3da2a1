import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { SourceText } from "../../compiler/model/source.js";
import { environmentReferences } from "../../runtime/abi/environment.js";

const MADE_UP = "stand-in-of-";

/**
 * Values for variables of the sources: the given ones, and a made-up text for each that is not set. So a
 * configuration that needs a secret or a path can be tested where there is none.
 */
export function variableFixtures(
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
export function withVariables(error: Diagnostic, sources: readonly SourceText[]): Diagnostic {
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
