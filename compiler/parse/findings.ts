import type { Diagnostic, Note } from "../diagnostics/diagnostic.js";
import { diagnostic, type Params } from "../diagnostics/report.js";
import { Lines } from "./lines.js";
import type { SourceText } from "./source.js";

/** Collects the findings of one source by offset. */
export class Findings {
  readonly list: Diagnostic[] = [];
  readonly file: string;
  readonly lines: Lines;

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
    this.list.push(diagnostic(code, this.span(start, end), params, extra));
  }

  note(message: string, start: number, end: number): Note {
    return { message, span: this.span(start, end) };
  }

  span(start: number, end: number) {
    return { file: this.file, start: this.lines.at(start), end: this.lines.at(end) };
  }
}
