import { type Diagnostic, locationText } from "../model/diagnostic.js";

export interface DiagnosticSummary {
  errors: number;
  warnings: number;
  notes: number;
  /** Errors first, at most `MAX_DIAGNOSTICS`. */
  first: { code: string; severity: Diagnostic["severity"]; message: string; place: string | null }[];
}

const MAX_DIAGNOSTICS = 20;
export function summaryOf(found: readonly Diagnostic[]): DiagnosticSummary {
  const of = (wanted: Diagnostic["severity"]) => found.filter(({ severity }) => severity === wanted);
  const [errors, warnings, notes] = [of("error"), of("warning"), of("note")];
  const first = [...errors, ...warnings, ...notes].slice(0, MAX_DIAGNOSTICS);
  return {
    ...{ errors: errors.length, warnings: warnings.length, notes: notes.length },
    first: first.map(({ code, severity, message, span }) => ({
      ...{ code, severity, message },
      place: span ? locationText(span) : null,
    })),
  };
}
