import type { Span } from "../model/diagnostic.js";
import type { Path, Spans } from "../model/source.js";
import type { Lines } from "./lines.js";
import type { PackedMarks } from "./packed-marks.js";

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
