import type { Diagnostic, Span } from "./diagnostics/diagnostic.js";
import { parseSource } from "./parse/parse.js";
import type { SourceText } from "./parse/source.js";
import { misplacedSecretPaths, secretNames, secretPaths } from "./validate/annotations.js";

/** Places of secrets in the sources that the findings show lines of. Parses those; `compile` hands out the same as `masks`. */
export function masksOf(sources: readonly SourceText[], findings: readonly Diagnostic[]): Span[] {
  const spans = findings.flatMap(({ span, notes }) => [span, ...notes.map((note) => note.span)]);
  const shown = new Set(spans.map((span) => span?.file));
  return secretSpans(sources.filter(({ name }) => shown.has(name)));
}

/** Places of all secrets in sources. */
export function secretSpans(sources: readonly SourceText[]): Span[] {
  return sources.flatMap((source) => {
    const { document, diagnostics } = parseSource(source);
    const { value, spans } = document ?? {};
    const paths = [...secretPaths(value), ...misplacedSecretPaths(value)];
    const known = spans ? paths.map((path) => spans.value(path)) : [];
    // What a key given twice has the second time is in no document.
    return diagnostics.length === 0 ? known : [...known, ...secretsByName(source)];
  });
}

/**
 * The values that follow a key of a secret's name, on its line or, where nothing but the beginning of a block stands
 * there, on the lines below: for a source that cannot be parsed.
 */
export function secretsByName({ name: file, text }: SourceText): Span[] {
  const key = new RegExp(`(?:^|[\\s{,"'-])(?:${secretNames().join("|")})["']?\\s*:[ \\t]*(.*)$`, "d");
  const lines = text.split("\n");
  const spans: Span[] = [];
  const cover = (line: number, from: number, to: number) => {
    const at = (column: number) => ({ line: line + 1, column: column + 1 });
    spans.push({ file, start: at(from), end: at(to) });
  };
  lines.forEach((line, index) => {
    const [from, to] = key.exec(line)?.indices?.[1] ?? [];
    if (from === undefined || to === undefined) return;
    if (from < to) cover(index, from, to);
    if (/^(?:[|>][-+0-9]*)?\s*(?:#.*)?$/.test(line.slice(from)))
      for (const below of valueBelow(lines, index)) cover(below, 0, lines[below]?.length ?? 0);
  });
  return spans;
}

/** Lines that are indented more than the one of their key, and in any case the first that is not empty. */
function valueBelow(lines: readonly string[], index: number): number[] {
  const indent = (line: string) => /^[\s-]*/.exec(line)?.[0].length ?? 0;
  const found: number[] = [];
  let first = true;
  for (let below = index + 1; below < lines.length; below++) {
    const line = lines[below] ?? "";
    if (line.trim() === "") continue;
    if (!first && indent(line) <= indent(lines[index] ?? "")) break;
    found.push(below);
    first = false;
  }
  return found;
}
