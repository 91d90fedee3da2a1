import type { Span } from "../model/diagnostic.js";

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
