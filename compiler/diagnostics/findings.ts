import type { Diagnostic } from "./diagnostic.js";

/** Collects findings; the same one from several routes, through a service they share, counts once. */
export class Findings {
  private readonly byText = new Map<string, Diagnostic>();
  private errors = 0;

  /** Bound, so that it can be handed to a step as it is. */
  readonly report = (finding: Diagnostic): void => {
    const { code, message, span } = finding;
    const place = span && `${span.file}:${span.start.line}:${span.start.column}`;
    const key = `${place} ${code} ${message}`;
    if (this.byText.has(key)) return;
    this.byText.set(key, finding);
    if (finding.severity === "error") this.errors++;
  };

  addAll(findings: readonly Diagnostic[]): void {
    for (const finding of findings) this.report(finding);
  }

  get hasErrors(): boolean {
    return this.errors > 0;
  }

  /** By file, line and column; findings without a place first. */
  sorted(): Diagnostic[] {
    return [...this.byText.values()].sort(byPlace);
  }
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
