import type { Diagnostic } from "./diagnostic.js";

/** By file, line, column and code; findings without a place first. A new list. */
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
