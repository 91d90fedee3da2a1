import { secretNames } from "../2-validate/annotations.js";
import type { CredentialNames } from "../2-validate/credential-names.js";
import type { Span } from "../model/diagnostic.js";
import { type SourceText, spanInLine } from "../model/source.js";
import { pluginNames } from "../plugin/registry.js";

const KEY = /(?:^|[\s{,"'-])([\w.$-]+)["']?\s*:[ \t]*/dg;
/** Value that continues below its key: `|`, `&anchor >-`, or nothing. */
const BEGUN = /^(?:[&!]\S*\s+)*(?:[&!]\S*|[|>][-+0-9]*)?\s*(?:#.*)?$/;
/** Anchor to which an alias refers. */
export const ALIAS = /^\*([^\s,[\]{}]+)/;
const ANCHOR = /&([^\s,[\]{}]+)\s*/g;

/**
 * Used for sources that cannot be parsed: values behind keys with the name of a secret, to the end of the
 * line, with continuation lines, or by an alias.
 */
export function secretsByName({ name: file, text }: SourceText, credentials: CredentialNames): Span[] {
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

export function anchoredSpans(file: string, lines: readonly string[], anchors: ReadonlySet<string>): Span[] {
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
