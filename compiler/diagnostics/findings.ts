import type { Diagnostic } from "./diagnostic.js";
import { sortDiagnostics } from "./sort.js";

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

  get isEmpty(): boolean {
    return this.byText.size === 0;
  }

  get hasErrors(): boolean {
    return this.errors > 0;
  }

  /** By file, line and column; findings without a place first. */
  sorted(): Diagnostic[] {
    return sortDiagnostics(this.byText.values());
  }
}
