import { addressCredentials, literalStretches, type TextRange } from "./diagnostics/credential-text.js";
import type { Diagnostic, Span } from "./diagnostics/diagnostic.js";
import type { CompileInput } from "./input.js";
import { substitute } from "./parse/environment.js";
import { parseSource } from "./parse/parse.js";
import type { SourceText, Spanned } from "./parse/source.js";
import { ALIAS, anchoredSpans, secretsByName } from "./secrets-by-name.js";
import { isSymbolic, misplacedSecretPaths, secretPaths } from "./validate/annotations.js";
import { type CredentialNames, namesIn } from "./validate/credential-names.js";
import { type NamedCredential, namedCredentials } from "./validate/named-credentials.js";

type Environment = CompileInput["environment"];

/**
 * Places of secrets in the sources that the findings show lines of, which it parses.
 * @param environment as the findings were made with: a name that a variable gives says what its neighbour is
 * @param names those of the whole configuration; default: all sources are parsed for them
 */
export function masksOf(
  sources: readonly SourceText[],
  findings: readonly Diagnostic[],
  environment: Environment,
  names: CredentialNames = namesOfSources(sources, environment),
): Span[] {
  const spans = findings.flatMap(({ span, notes }) => [span, ...notes.map((note) => note.span)]);
  const shown = new Set(spans.map((span) => span?.file));
  return secretSpans(
    sources.filter(({ name }) => shown.has(name)),
    environment,
    names,
  );
}

/** Places of all secrets in sources. */
export function secretSpans(
  sources: readonly SourceText[],
  environment: Environment,
  names: CredentialNames = namesOfSources(sources, environment),
): Span[] {
  return sources.flatMap((source) => {
    const { document, diagnostics } = parseSource(source);
    const known = document === undefined ? [] : readings(document, environment);
    const found = known.flatMap((one) => secretsIn(one, source.text, names));
    const inLines = [...found, ...argumentsIn(source, names)];
    // What a key given twice has the second time is in no document.
    return diagnostics.length === 0 ? inLines : [...inLines, ...secretsByName(source, names)];
  });
}

const namesOfSources = (sources: readonly SourceText[], environment: Environment): CredentialNames =>
  namesIn(() =>
    sources.flatMap((source) => {
      const { document } = parseSource(source);
      return document === undefined ? [] : readings(document, environment).map(({ value }) => value);
    }),
  );

/** Credentials of addresses in comments, and in what could not be parsed. */
function argumentsIn({ name: file, text }: SourceText, names: CredentialNames): Span[] {
  return linesOf(text).flatMap((line, index) =>
    addressCredentials(line, names).map(([start, end]) => ({
      file,
      start: { line: index + 1, column: start + 1 },
      end: { line: index + 1, column: end + 1 },
    })),
  );
}

/** The document as it is written, and with the values of variables, as it is compiled: either may say what is a secret. */
function readings(document: Spanned, environment: Environment): Spanned[] {
  const filled = substitute(document, { environment, isSymbolic }).document;
  return filled.value === document.value ? [document] : [document, filled];
}

/**
 * Places of the secrets of one document: what the schemas mark, what stands in a wrong place, and what is a credential by the name that
 * it is given.
 * @param text its source; undefined: variables of requests are covered with what stands around them
 */
function secretsIn({ value, spans }: Spanned, text: string | undefined, names: CredentialNames): Span[] {
  const marked = [...secretPaths(value), ...misplacedSecretPaths(value)].map((path) => spans.value(path));
  const written = namedCredentials(value, names).map((one) => ({ ...one, span: spans.value(one.path) }));
  const all = [...marked, ...written.map(({ span }) => span)];
  if (text === undefined || all.length === 0) return all;
  const lines = linesOf(text);
  const anchors = new Set(all.flatMap(({ start }) => aliasAt(lines[start.line - 1], start.column) ?? []));
  return [
    ...marked,
    ...written.flatMap(({ span, beside }) => literalSpans(span, beside, lines, names)),
    ...anchoredSpans(spans.value([]).file, lines, anchors),
  ];
}

const aliasAt = (line = "", column: number): string | undefined =>
  line[column - 1] === "*" ? ALIAS.exec(line.slice(column - 1))?.[1] : undefined;

const linesOf = (text: string) => text.replace(/^\ufeff/, " ").split(/\r?\n/);
const NAME = /^["']?\s*[\w.$-]+\s*:\s*/;

/** The span but for what stands beside the credential in it, and for variables. One of several lines is covered whole. */
function literalSpans(
  span: Span,
  beside: NamedCredential["beside"],
  lines: readonly string[],
  names: CredentialNames,
): Span[] {
  const { file, start, end } = span;
  const line = lines[start.line - 1];
  if (line === undefined || start.line !== end.line) return [span];
  const from = start.column - 1;
  const written = line.slice(from, end.column - 1);
  const stretches = stretchesOf(written, beside, names);
  // A value with escapes that are not known here is covered whole too.
  if (stretches.length === 0 || (beside === "address" && written.includes("\\"))) return [span];
  return stretches.map(([first, last]) => ({
    file,
    start: { line: start.line, column: from + first + 1 },
    end: { line: end.line, column: from + last + 1 },
  }));
}

function stretchesOf(
  written: string,
  beside: NamedCredential["beside"],
  names: CredentialNames,
): TextRange[] {
  if (beside === "address") return addressCredentials(written, names);
  const name = beside === "name" ? (NAME.exec(written)?.[0].length ?? 0) : 0;
  return literalStretches(written, [name, written.length]);
}
