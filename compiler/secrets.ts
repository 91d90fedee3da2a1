import type { Span } from "./diagnostics/diagnostic.js";
import { parseSource } from "./parse/parse.js";
import type { SourceText } from "./parse/source.js";
import { secretNames, secretPaths } from "./validate/annotations.js";

/** Places of secrets in sources, so that no finding shows one. Parses them; `compile` hands out the same as `masks`. */
export function secretSpans(sources: readonly SourceText[]): Span[] {
  return sources.flatMap((source) => {
    const { document, diagnostics } = parseSource(source);
    const known = document ? secretPaths(document.value).map((path) => document.spans.value(path)) : [];
    // What a key given twice has the second time is in no document.
    return diagnostics.length === 0 ? known : [...known, ...secretsByName(source)];
  });
}

/** The values that follow a key of a secret's name on its line: for a source that cannot be parsed. */
export function secretsByName({ name: file, text }: SourceText): Span[] {
  const key = new RegExp(`(?:^|[\\s{,"'])(?:${secretNames().join("|")})["']?\\s*:\\s*(\\S.*)$`, "d");
  return text.split("\n").flatMap((line, index) => {
    const [from, to] = key.exec(line)?.indices?.[1] ?? [];
    if (from === undefined || to === undefined) return [];
    const at = (column: number) => ({ line: index + 1, column: column + 1 });
    return [{ file, start: at(from), end: at(to) }];
  });
}
