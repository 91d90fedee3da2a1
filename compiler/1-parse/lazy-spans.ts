import type { Span } from "../model/diagnostic.js";
import type { Path, Spans } from "../model/source.js";

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
