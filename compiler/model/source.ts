import type { Span } from "./diagnostic.js";

/** Maximum characters: 10,000 routes with plugins are about 2 million, and YAML takes about 0.5 s a million. */
export const MAX_SOURCE = 32_000_000;

/** Text to compile. Diagnostics print `name`: a path relative to the working directory. */
export interface SourceText {
  name: string;
  text: string;
  format: "yaml" | "json";
  /** Absolute folder of the file; absent if the source is no file, which can name no packages. */
  folder?: string;
}

/** Splits a text. A byte order mark counts as a column. */
export const linesOf = (text: string): string[] => text.replace(/^\ufeff/, " ").split(/\r?\n/);

/** Lines of sources. A source is split at its first query. */
export class SourceLines {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #lines = new Map<string, readonly string[]>();

  constructor(sources: readonly SourceText[]) {
    this.#texts = new Map(sources.map(({ name, text }) => [name, text]));
  }

  /** @param number from 1 @returns the line without its end; undefined if there is none */
  at(file: string, number: number): string | undefined {
    let lines = this.#lines.get(file);
    if (lines === undefined) {
      lines = linesOf(this.#texts.get(file) ?? "");
      this.#lines.set(file, lines);
    }
    return this.#texts.has(file) ? lines[number - 1] : undefined;
  }
}

/** Span within one line. @param index of the line, from 0 @param start, end offsets in the line */
export const spanInLine = (file: string, index: number, start: number, end: number): Span => ({
  file,
  start: { line: index + 1, column: start + 1 },
  end: { line: index + 1, column: end + 1 },
});

/** Keys and indices from the root of a value to one of its parts. */
export type Path = readonly (string | number)[];

/** Spans of the parts of a parsed value. */
export interface Spans {
  /** Span of the value at `path`, or of its nearest parent if the path does not exist. */
  value(path: Path): Span;
  /** Span of the key at the end of `path`; for an array item, of its value. */
  key(path: Path): Span;
  /** Same spans with `path` as the new root. */
  below(path: Path): Spans;
}

/** Plain JSON value with the spans of its parts. */
export interface Spanned<T = unknown> {
  value: T;
  spans: Spans;
  /** Path from the root of its text. Default: the root. */
  at?: Path;
}

/**
 * Span of character `offset` of a text in a scalar. The width of the scalar reveals its notation: plain,
 * quoted without escapes, or with each backslash and quote doubled or escaped. Otherwise the whole scalar.
 */
export function offsetToSpan(text: string, offset: number, span: Span): Span {
  if (span.start.line !== span.end.line || text.includes("\n")) return span;
  const width = span.end.column - span.start.column;
  const written = WRITINGS.find(({ quotes, extra }) => width === text.length + quotes + count(text, extra));
  if (written === undefined) return span;
  const before = text.slice(0, offset);
  const column = span.start.column + written.quotes / 2 + before.length + count(before, written.extra);
  const last = span.end.column - written.quotes / 2 - 1;
  const start = Math.min(column, Math.max(last, span.start.column));
  return { ...span, start: { ...span.start, column: start }, end: { ...span.start, column: start + 1 } };
}

/** Width of the quotes, and the characters that take two columns. */
const WRITINGS: readonly { quotes: 0 | 2; extra: RegExp | undefined }[] = [
  { quotes: 0, extra: undefined },
  { quotes: 2, extra: undefined },
  { quotes: 2, extra: /[\\"]/g },
  { quotes: 2, extra: /'/g },
  { quotes: 2, extra: /[\\"/]/g },
];

function count(text: string, wanted: RegExp | undefined): number {
  return wanted === undefined ? 0 : (text.match(wanted)?.length ?? 0);
}
