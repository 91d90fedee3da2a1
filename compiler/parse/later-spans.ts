import type { Span } from "../diagnostics/diagnostic.js";
import type { Path, Spans } from "./source.js";

/** Spans of a text that is parsed when somebody asks where something stands. */
export class LaterSpans implements Spans {
  readonly #read: () => Spans;
  /** Places that are known without. */
  readonly #known: ReadonlyMap<string, Span>;
  #spans: Spans | undefined;

  /** @param known by path as JSON */
  constructor(read: () => Spans, known: ReadonlyMap<string, Span> = new Map()) {
    this.#read = read;
    this.#known = known;
  }

  value(path: Path): Span {
    return (this.#known.size > 0 && this.#known.get(JSON.stringify(path))) || this.#whole().value(path);
  }

  key(path: Path): Span {
    return this.#whole().key(path);
  }

  below(path: Path, known?: ReadonlyMap<string, Span>): Spans {
    return new LaterSpans(() => this.#whole().below(path), known);
  }

  #whole(): Spans {
    this.#spans ??= this.#read();
    return this.#spans;
  }
}
