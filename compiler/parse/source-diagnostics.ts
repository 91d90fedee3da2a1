import type { Diagnostic, Note } from "../diagnostics/diagnostic.js";
import { diagnostic, type Params } from "../diagnostics/report.js";
import { Lines } from "./lines.js";
import type { SourceText } from "./source.js";

/** Findings of one code that are told of a source: a megabyte of commas would come back as a hundred megabytes. */
const MAX_OF_A_CODE = 100;

/** Collects the findings of one source by offset; the last of too many of a code says how many more there are. */
export class SourceDiagnostics {
  readonly list: Diagnostic[] = [];
  readonly file: string;
  readonly lines: Lines;
  readonly #counts = new Map<string, number>();

  constructor(source: SourceText) {
    this.file = source.name;
    this.lines = new Lines(source.text);
  }

  add(
    code: string,
    start: number,
    end: number,
    params: Params = {},
    extra: { notes?: Note[]; help?: string } = {},
  ): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= MAX_OF_A_CODE) this.list.push(diagnostic(code, this.span(start, end), params, extra));
  }

  /** Whether another one of a code is only counted. */
  enough(code: string): boolean {
    return (this.#counts.get(code) ?? 0) >= MAX_OF_A_CODE;
  }

  /** All of them, when the source has been read. */
  told(): Diagnostic[] {
    for (const [code, count] of this.#counts)
      if (count > MAX_OF_A_CODE)
        this.list
          .findLast((one) => one.code === code)
          ?.notes.push({ message: `and ${count - MAX_OF_A_CODE} more` });
    return this.list;
  }

  note(message: string, start: number, end: number): Note {
    return { message, span: this.span(start, end) };
  }

  span(start: number, end: number) {
    return { file: this.file, start: this.lines.at(start), end: this.lines.at(end) };
  }
}
