import type { Span } from "../model/diagnostic.js";
import type { SourceText } from "../model/source.js";
import { addressCredentials, starred } from "../variables/credential-text.js";

/** Lines for output, with secrets masked character by character. */
export class SourceLines {
  readonly #sources = new Map<string, SourceText>();
  readonly #lines = new Map<string, string[]>();
  readonly #masks = new Map<string, Span[]>();
  /** Masked lines by file and number: one of 1 MB may have 10,000 masks and as many diagnostics. */
  readonly #covered = new Map<string, string>();

  constructor(sources: readonly SourceText[], masks: readonly Span[]) {
    for (const source of sources) this.#sources.set(source.name, source);
    for (const mask of masks) {
      const ofFile = this.#masks.get(mask.file);
      if (ofFile) ofFile.push(mask);
      else this.#masks.set(mask.file, [mask]);
    }
  }

  /** @param number from 1 @returns the line without its end; undefined if there is none */
  at(file: string, number: number): string | undefined {
    const line = this.#linesOf(file)?.[number - 1];
    if (line === undefined) return undefined;
    const key = `${number} ${file}`;
    let shown = this.#covered.get(key);
    if (shown === undefined) {
      const bare = starred(line, addressCredentials(line));
      shown = covered(bare, number, this.#masks.get(file) ?? []);
      this.#covered.set(key, shown);
    }
    return shown;
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

/** Name of a variable, which reveals nothing about its value. A default (`:=`) is a value. */
const VARIABLE = /(\$\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\})/;

function covered(line: string, number: number, masks: readonly Span[]): string {
  const places = masks
    .filter(({ start, end }) => start.line <= number && end.line >= number)
    .map(({ start, end }) => ({
      from: start.line === number ? start.column - 1 : 0,
      to: end.line === number ? end.column - 1 : line.length,
    }))
    .sort((a, b) => a.from - b.from);
  let shown = "";
  let at = 0;
  for (const { from, to } of places) {
    if (to <= at) continue;
    shown += line.slice(at, Math.max(at, from)) + withoutLiterals(line.slice(Math.max(at, from), to));
    at = to;
  }
  return shown + line.slice(at);
}

function withoutLiterals(text: string): string {
  const parts = text.split(VARIABLE);
  const isVariable = parts.length === 3 && /^["']?$/.test(parts[0] ?? "") && parts[0] === parts[2];
  if (isVariable) return text;
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(/[^\s]/g, "*"))).join("");
}
