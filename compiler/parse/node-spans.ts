import type { Span } from "../diagnostics/diagnostic.js";
import type { Lines } from "./lines.js";
import type { Path, Spans } from "./source.js";

/** Offsets of one parsed value (`end` exclusive) and of its parts. */
export interface NodeSpan {
  start: number;
  end: number;
  keys?: Map<string, MarkedKey>;
  items?: NodeSpan[];
  /** A number as it is written, where that says more than the number: "1.10", "0123". */
  written?: string;
}

export interface MarkedKey {
  start: number;
  end: number;
  value: NodeSpan;
}

/** Spans of one source over its marks. */
export class NodeSpans implements Spans {
  readonly #file: string;
  readonly #lines: Lines;
  readonly #root: NodeSpan;

  constructor(file: string, lines: Lines, root: NodeSpan) {
    this.#file = file;
    this.#lines = lines;
    this.#root = root;
  }

  value(path: Path): Span {
    return this.#span(this.#walk(path).mark);
  }

  key(path: Path): Span {
    const { mark, key, found } = this.#walk(path);
    return this.#span(found && key !== undefined ? key : mark);
  }

  below(path: Path): Spans {
    return new NodeSpans(this.#file, this.#lines, this.#walk(path).mark);
  }

  /** The deepest mark along `path`; `key` leads to it when it is the value of a field. */
  #walk(path: Path): { mark: NodeSpan; key: MarkedKey | undefined; found: boolean } {
    let mark = this.#root;
    let key: MarkedKey | undefined;
    for (const step of path) {
      const field = mark.keys?.get(String(step));
      const next = typeof step === "number" && mark.items ? mark.items[step] : field?.value;
      if (next === undefined) return { mark, key, found: false };
      key = mark.items ? undefined : field;
      mark = next;
    }
    return { mark, key, found: true };
  }

  #span(range: { start: number; end: number }): Span {
    return { file: this.#file, start: this.#lines.at(range.start), end: this.#lines.at(range.end) };
  }
}

/** Every part has the same place: for values that have no text of their own. */
export function fixedSpans(span: Span): Spans {
  const spans: Spans = { value: () => span, key: () => span, below: () => spans };
  return spans;
}

/** A value and where its parts stand, as a parser hands it over. */
export interface Parsed {
  value: unknown;
  mark: NodeSpan;
  /** Of a whole document; absent: none, or not looked for. */
  lossy?: readonly LossyNumber[];
}

/** A number of a source whose spelling says more than its value. */
export interface LossyNumber {
  path: Path;
  written: string;
}

/** All of them below a mark. */
export function lossyNumbersIn(mark: NodeSpan, path: Path = []): LossyNumber[] {
  if (mark.written !== undefined) return [{ path, written: mark.written }];
  const fields = [...(mark.keys ?? [])].flatMap(([name, { value }]) =>
    lossyNumbersIn(value, [...path, name]),
  );
  const items = (mark.items ?? []).flatMap((item, index) => lossyNumbersIn(item, [...path, index]));
  return [...fields, ...items];
}
