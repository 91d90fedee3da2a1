import type { SourceText } from "../parse/source.js";
import { addressCredentials, starred } from "./credential-text.js";
import type { Span } from "./diagnostic.js";

/** Lines of the sources as findings may show them: secrets are covered, character by character. */
export class SourceLines {
  readonly #sources = new Map<string, SourceText>();
  readonly #lines = new Map<string, string[]>();
  readonly #masks: readonly Span[];

  constructor(sources: readonly SourceText[], masks: readonly Span[]) {
    for (const source of sources) this.#sources.set(source.name, source);
    this.#masks = masks;
  }

  /** Line `number` (one-based) of a source without its line end; undefined when there is no such line. */
  at(file: string, number: number): string | undefined {
    const line = this.#linesOf(file)?.[number - 1];
    if (line === undefined) return undefined;
    return this.#masks
      .filter((mask) => mask.file === file && mask.start.line <= number && mask.end.line >= number)
      .reduce((text, mask) => covered(text, number, mask), starred(line, addressCredentials(line)));
  }

  #linesOf(file: string): string[] | undefined {
    const source = this.#sources.get(file);
    if (source === undefined) return undefined;
    let lines = this.#lines.get(file);
    if (lines === undefined) {
      lines = source.text.replace(/^\ufeff/, " ").split(/\r?\n/);
      this.#lines.set(file, lines);
    }
    return lines;
  }
}

/** Name of a variable of the environment, which tells nothing of its value; a default (`:=`) is one. */
const VARIABLE = /(\$\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\})/;

function covered(line: string, number: number, mask: Span): string {
  const from = mask.start.line === number ? mask.start.column - 1 : 0;
  const to = mask.end.line === number ? mask.end.column - 1 : line.length;
  return line.slice(0, from) + withoutLiterals(line.slice(from, to)) + line.slice(to);
}

function withoutLiterals(text: string): string {
  const parts = text.split(VARIABLE);
  const isVariable = parts.length === 3 && /^["']?$/.test(parts[0] ?? "") && parts[0] === parts[2];
  if (isVariable) return text;
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(/[^\s]/g, "*"))).join("");
}
