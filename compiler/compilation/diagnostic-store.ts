import { isAdvice } from "../diagnostics/report.js";
import { type Diagnostic, type Span, startOfFile } from "../model/diagnostic.js";
import type { Journal } from "./journal.js";

/** Diagnostics by separately compiled part, such as "routes/1". Most parts have none. */
export class DiagnosticStore {
  readonly #journal: Journal;
  /** Advice, kept apart since a reload does not report it: each of 20,000 routes may have some. */
  readonly #advice: Map<string, readonly Diagnostic[]>;
  readonly #rest: Map<string, readonly Diagnostic[]>;

  constructor(journal: Journal, before?: DiagnosticStore) {
    this.#journal = journal;
    this.#advice = new Map(before ? before.#advice : []);
    this.#rest = new Map(before ? before.#rest : []);
  }

  /** An accepted body cannot be opened: locations become those of the store. */
  set(part: string, reported: readonly Diagnostic[]): void {
    const found = reported.map(inStore);
    this.#put(this.#advice, part, found.filter(isAdvice));
    this.#put(
      this.#rest,
      part,
      found.filter((one) => !isAdvice(one)),
    );
  }

  add(part: string, reported: readonly Diagnostic[]): void {
    this.set(part, [...(this.#rest.get(part) ?? []), ...(this.#advice.get(part) ?? []), ...reported]);
  }

  withoutAdvice(): Iterable<[part: string, found: readonly Diagnostic[]]> {
    return this.#rest;
  }

  all(): Diagnostic[] {
    return [...this.#rest.values(), ...this.#advice.values()].flat();
  }

  #put(map: Map<string, readonly Diagnostic[]>, part: string, found: readonly Diagnostic[]): void {
    if (found.length > 0 || map.has(part)) this.#journal.set(map, part, found.length > 0 ? found : undefined);
  }
}

const BODY = /^[A-Z]+ \/gw\/admin\//;

const isOfBody = (span: Span | undefined): boolean => span !== undefined && BODY.test(span.file);

function inStore(finding: Diagnostic): Diagnostic {
  const { span, notes } = finding;
  if (!isOfBody(span) && !notes.some((note) => isOfBody(note.span))) return finding;
  return {
    ...finding,
    ...(span && { span: storedSpan(span) }),
    notes: notes.map((note) => (note.span ? { ...note, span: storedSpan(note.span) } : note)),
  };
}

/** Replaces the span of a body as `storedSpans` does. */
function storedSpan(span: Span): Span {
  if (!isOfBody(span)) return span;
  return startOfFile(span.file.replace(BODY, "admin "));
}
