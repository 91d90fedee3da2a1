import { appendTo } from "../model/append-to.js";
import { type Diagnostic, locationText, type Span } from "../model/diagnostic.js";
import { isAdvice } from "./report.js";

export class TooManyErrors extends Error {}

export interface CollectorOptions {
  maxErrors?: number;
  advice?: boolean | undefined;
}

/** Drops duplicates: several routes may cause one diagnostic through a shared service. */
export class DiagnosticCollector {
  readonly #byText = new Map<string, Diagnostic>();
  readonly #maxErrors: number;
  readonly #takesAdvice: boolean;
  #errors = 0;
  #recorded: Diagnostic[] | undefined;

  /**
   * @param options.maxErrors errors after which `report` throws TooManyErrors. Default: no limit
   * @param options.advice false drops advice
   */
  constructor({ maxErrors = Number.POSITIVE_INFINITY, advice = true }: CollectorOptions = {}) {
    this.#maxErrors = maxErrors;
    this.#takesAdvice = advice;
  }

  /** Bound, so that it can be passed to a step directly. */
  readonly report = (finding: Diagnostic): void => {
    this.#recorded?.push(finding);
    if (!this.#takesAdvice && isAdvice(finding)) return;
    const { code, message, span } = finding;
    const place = span && locationText(span);
    const key = `${place} ${code} ${message}`;
    if (this.#byText.has(key)) return;
    if (finding.severity === "error" && this.#errors >= this.#maxErrors) throw new TooManyErrors();
    this.#byText.set(key, finding);
    if (finding.severity === "error") this.#errors++;
  };

  addAll(findings: readonly Diagnostic[]): void {
    for (const finding of findings) this.report(finding);
  }

  /** Diagnostics while `work` runs, including repeated ones. */
  during(work: () => void): readonly Diagnostic[] {
    const heard: Diagnostic[] = [];
    const outer = this.#recorded;
    this.#recorded = heard;
    try {
      work();
    } finally {
      this.#recorded = outer;
      outer?.push(...heard);
    }
    return heard;
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  /** Sorts by file, line and column, those without a location first. Consequences of unknown texts are left out. */
  sorted(): Diagnostic[] {
    return sortDiagnostics(withoutFollowing([...this.#byText.values()]));
  }
}

/** Codes of texts that are not known: an unset variable, and an unreadable reference. */
const UNKNOWN_TEXT: ReadonlySet<string> = new Set(["GW1020", "GW1021"]);

/** Drops later diagnostics in an unknown text, which follow from that one mistake. */
function withoutFollowing(findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const unknown = findings.flatMap(({ code, span }) => (span && UNKNOWN_TEXT.has(code) ? [span] : []));
  if (unknown.length === 0) return findings;
  const isUnknown = within(unknown);
  return findings.filter(
    ({ code, span }) => span === undefined || UNKNOWN_TEXT.has(code) || !isUnknown(span),
  );
}

function within(texts: readonly Span[]): (span: Span) => boolean {
  const byFile = new Map<string, Span[]>();
  for (const text of texts) appendTo(byFile, text.file, text);
  for (const ofFile of byFile.values())
    ofFile.sort((a, b) => a.start.line - b.start.line || a.start.column - b.start.column);
  return ({ file, start }) => {
    const ofFile = byFile.get(file) ?? [];
    let [low, high] = [0, ofFile.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore((ofFile[middle] as Span).start, start)) low = middle + 1;
      else high = middle;
    }
    const last = ofFile[low - 1];
    return last !== undefined && isBefore(start, last.end);
  };
}

function isBefore(a: Span["start"], b: Span["start"]): boolean {
  return a.line < b.line || (a.line === b.line && a.column <= b.column);
}

/** Sorts by file, line, column and code, diagnostics without a location first. */
export function sortDiagnostics(diagnostics: Iterable<Diagnostic>): Diagnostic[] {
  return [...diagnostics].sort(byPlace);
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  const [file, other] = [a.span?.file ?? "", b.span?.file ?? ""];
  if (file !== other) return file < other ? -1 : 1;
  const [start, from] = [a.span?.start, b.span?.start];
  return (
    (start?.line ?? 0) - (from?.line ?? 0) ||
    (start?.column ?? 0) - (from?.column ?? 0) ||
    (a.code < b.code ? -1 : a.code > b.code ? 1 : 0)
  );
}
