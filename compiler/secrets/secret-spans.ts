import { substitute } from "../1-parse/environment.js";
import { parseSource } from "../1-parse/parse.js";
import { isSymbolic, misplacedSecretPaths, secretNames, secretPaths } from "../2-validate/annotations.js";
import { type CredentialNames, namesIn } from "../2-validate/credential-names.js";
import { type NamedCredential, namedCredentialsIn } from "../2-validate/named-credentials.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { Environment } from "../model/input.js";
import { linesOf, SourceLines, type SourceText, type Spanned, spanInLine } from "../model/source.js";
import { pluginNames } from "../plugin/registry.js";
import { addressCredentials, literalStretches, type TextRange } from "../variables/credential-text.js";

/**
 * Parses the sources of which the diagnostics show lines.
 * @param environment as for the diagnostics: a value from a variable may name the field next to it
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
  const read = sources.filter(({ name }) => shown.has(name));
  return [...secretSpans(read, environment, names), ...usersOfNodes(read, findings)];
}

/** An invalid host or node may have a user or token in front of "@" or "%40". */
const INVALID_HOST = new Set(["GW2120", "GW2122"]);

/** Users in front of invalid hosts. Elsewhere in a text, `token@host` may be an e-mail address. */
function usersOfNodes(sources: readonly SourceText[], findings: readonly Diagnostic[]): Span[] {
  const spans = findings.flatMap(({ code, span }) => (INVALID_HOST.has(code) && span ? [span] : []));
  if (spans.length === 0) return [];
  const lines = new SourceLines(sources);
  return spans.flatMap(({ file, start, end }) => {
    const line = lines.at(file, start.line) ?? "";
    if (start.line !== end.line) return [{ file, start, end }];
    const written = line.slice(start.column - 1, end.column - 1);
    const user = /^.*(?=@|%40)/i.exec(written)?.[0];
    // An escape may hide the "@".
    const length = user?.length ?? (written.includes("\\") ? written.length : 0);
    return length === 0 ? [] : [{ file, start, end: { line: start.line, column: start.column + length } }];
  });
}

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
    // A document lacks the second value of a repeated key.
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

/** Credentials in comments and in text that could not be parsed. */
function argumentsIn({ name: file, text }: SourceText, names: CredentialNames): Span[] {
  return linesOf(text).flatMap((line, index) =>
    addressCredentials(line, names).map(([start, end]) => spanInLine(file, index, start, end)),
  );
}

/** Document as written and with substituted variables: either may show what is a secret. */
function readings(document: Spanned, environment: Environment): Spanned[] {
  const filled = substitute(document, { environment, isSymbolic }).document;
  return filled.value === document.value ? [document] : [document, filled];
}

/**
 * Finds values that the schemas mark, misplaced secrets, and credentials by name.
 * @param text source; if undefined, spans include variables of the request and surrounding text
 */
function secretsIn({ value, spans }: Spanned, text: string | undefined, names: CredentialNames): Span[] {
  const marked = [...secretPaths(value), ...misplacedSecretPaths(value)].map((path) => spans.value(path));
  const written = namedCredentialsIn(value, names).map((one) => ({ ...one, span: spans.value(one.path) }));
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

const NAME = /^["']?\s*[\w.$-]+\s*:\s*/;

/** Span without the text around the credential and without variables. A span of several lines is masked whole. */
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
  // A value whose escapes are not decoded here is masked whole too.
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

const KEY = /(?:^|[\s{,"'-])([\w.$-]+)["']?\s*:[ \t]*/dg;
/** Value that continues below its key: `|`, `&anchor >-`, or nothing. */
const BEGUN = /^(?:[&!]\S*\s+)*(?:[&!]\S*|[|>][-+0-9]*)?\s*(?:#.*)?$/;
/** Anchor to which an alias refers. */
const ALIAS = /^\*([^\s,[\]{}]+)/;
const ANCHOR = /&([^\s,[\]{}]+)\s*/g;

/**
 * Used for sources that cannot be parsed: values behind keys with the name of a secret, to the end of the
 * line, with continuation lines, or by an alias.
 */
function secretsByName({ name: file, text }: SourceText, credentials: CredentialNames): Span[] {
  const isSecret = nameTest(credentials);
  const lines = text.split(/\r?\n/);
  const anchors = new Set<string>();
  const named = lines.flatMap((line, index) => {
    const key = [...line.matchAll(KEY)].find(([, name = ""]) => isSecret(name));
    const from = key?.indices?.[0]?.[1];
    if (from === undefined) return [];
    const [, anchor] = ALIAS.exec(line.slice(from)) ?? [];
    if (anchor !== undefined) anchors.add(anchor);
    return valueSpans(file, lines, index, from);
  });
  return [...named, ...anchoredSpans(file, lines, anchors)];
}

function anchoredSpans(file: string, lines: readonly string[], anchors: ReadonlySet<string>): Span[] {
  if (anchors.size === 0) return [];
  return lines.flatMap((line, index) =>
    [...line.matchAll(ANCHOR)]
      .filter(([, name = ""]) => anchors.has(name))
      .flatMap((found) => valueSpans(file, lines, index, found.index + found[0].length)),
  );
}

function valueSpans(file: string, lines: readonly string[], index: number, from: number): Span[] {
  const line = lines[index] ?? "";
  const below = valueBelow(lines, index, line.slice(from)).map((at) =>
    spanInLine(file, at, 0, lines[at]?.length ?? 0),
  );
  return from < line.length ? [spanInLine(file, index, from, line.length), ...below] : below;
}

function nameTest(credentials: CredentialNames): (name: string) => boolean {
  const [names, plugins] = [new Set(secretNames()), new Set(pluginNames())];
  return (name) => names.has(name) || (credentials.has(name) && !plugins.has(name));
}

const indentOf = (line: string): number => /^[\s-]*/.exec(line)?.[0].length ?? 0;

/**
 * Lines with more indentation than the key. If its line holds only the start of a value, the first non-empty
 * line counts with any indentation. An open quote continues until it is closed.
 */
function valueBelow(lines: readonly string[], index: number, beside: string): number[] {
  const quote = /^(?:[&!]\S*\s+)*(["'])/.exec(beside)?.[1];
  const isOpen = quote !== undefined && beside.replace(/\\./g, "").split(quote).length % 2 === 0;
  if (/^[[{]/.test(beside) || (quote !== undefined && !isOpen)) return [];
  const found: number[] = [];
  let first = BEGUN.test(beside);
  for (let below = index + 1; below < lines.length; below++) {
    const line = lines[below] ?? "";
    if (line.trim() === "") continue;
    if (!first && !isOpen && indentOf(line) <= indentOf(lines[index] ?? "")) break;
    found.push(below);
    first = false;
    if (isOpen && line.includes(quote)) break;
  }
  return found;
}
