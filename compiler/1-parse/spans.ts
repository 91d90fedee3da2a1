import type { Position, Span } from "../model/diagnostic.js";
import type { Path, Spans } from "../model/source.js";
import type { PackedMarks } from "./marks.js";

export class NodeSpans implements Spans {
  readonly #file: string;
  readonly #lines: Lines;
  readonly #marks: PackedMarks;
  readonly #root: number;

  constructor(file: string, lines: Lines, marks: PackedMarks, root = 0) {
    this.#file = file;
    this.#lines = lines;
    this.#marks = marks;
    this.#root = root;
  }

  value(path: Path): Span {
    return this.#span(this.#marks.range(this.#walk(path).mark));
  }

  key(path: Path): Span {
    const { mark, key } = this.#walk(path);
    return this.#span(key ?? this.#marks.range(mark));
  }

  below(path: Path): Spans {
    return new NodeSpans(this.#file, this.#lines, this.#marks, this.#walk(path).mark);
  }

  /** Deepest mark along `path`. `key` is set if the whole path exists and ends at a field. */
  #walk(path: Path): { mark: number; key?: { start: number; end: number } | undefined } {
    let mark = this.#root;
    let key: { start: number; end: number } | undefined;
    for (const step of path) {
      const isItem = typeof step === "number" && this.#marks.isList(mark);
      const field = isItem ? undefined : this.#marks.field(mark, String(step));
      const next = isItem ? this.#marks.item(mark, step) : field?.value;
      if (next === undefined) return { mark };
      key = field;
      mark = next;
    }
    return { mark, key };
  }

  #span(range: { start: number; end: number }): Span {
    return { file: this.#file, start: this.#lines.at(range.start), end: this.#lines.at(range.end) };
  }
}

export function fixedSpans(span: Span): Spans {
  const spans: Spans = { value: () => span, key: () => span, below: () => spans };
  return spans;
}

/** Builds the table of line starts at the first query. */
export class Lines {
  readonly #text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  at(offset: number): Position {
    const starts = (this.#starts ??= lineStarts(this.#text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}

/** Span known without parsing: of a field, by lines and columns of start and end. */
export interface PresetSpan {
  field: string;
  file: string;
  at: readonly [number, number, number, number];
}

export class LazySpans implements Spans {
  readonly #from: (() => Spans) | LazySpans;
  /** Relative to the spans in `#from`. */
  readonly #path: Path;
  readonly #preset: PresetSpan | undefined;
  #spans: Spans | undefined;

  constructor(from: (() => Spans) | LazySpans, path: Path = [], known?: PresetSpan) {
    this.#from = from;
    this.#path = path;
    this.#preset = known;
  }

  value(path: Path): Span {
    const known = this.#preset;
    if (known === undefined || path.length !== 1 || path[0] !== known.field) return this.#whole().value(path);
    const [line, column, endLine, endColumn] = known.at;
    return { file: known.file, start: { line, column }, end: { line: endLine, column: endColumn } };
  }

  key(path: Path): Span {
    return this.#whole().key(path);
  }

  below(path: Path, known?: PresetSpan): Spans {
    return new LazySpans(this, path, known);
  }

  #whole(): Spans {
    this.#spans ??= this.#from instanceof LazySpans ? this.#from.#whole().below(this.#path) : this.#from();
    return this.#spans;
  }
}
