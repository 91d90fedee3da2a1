import { diagnostic, type Params } from "../diagnostics/report.js";
import type { Diagnostic, Note } from "../model/diagnostic.js";
import type { SourceText } from "../model/source.js";
import { Lines } from "./spans.js";

/** Limit for a source: a megabyte of commas would give a hundred megabytes. */
const MAX_OF_A_CODE = 100;

/** Beyond the maximum of a code, the last diagnostic has a note with the number of the others. */
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

  /** Further diagnostics of a code are only counted. */
  enough(code: string): boolean {
    return (this.#counts.get(code) ?? 0) >= MAX_OF_A_CODE;
  }

  /** Called after the source was read. */
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
