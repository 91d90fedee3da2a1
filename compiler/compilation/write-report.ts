import { type Diagnostic, isError } from "../model/diagnostic.js";
import type { Change } from "../model/input.js";
import { adminPath, type Kind } from "../model/resource.js";

/** Limit of a write, at which the check ends: the response shows no more, and other writes wait. */
export const MAX_ERRORS = 100;

/** Includes invalid resources. */
export function sentBy(changes: readonly Change[]): { kind: Kind; value: unknown }[] {
  return changes.flatMap((change) => {
    if (!("put" in change)) return [];
    const { kind, text } = change.put;
    try {
      return [{ kind, value: JSON.parse(text) as unknown }];
    } catch {
      return [];
    }
  });
}

/** @param diagnostics sorted, with an error */
export function endedAfter(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const last = diagnostics.findLastIndex(isError);
  const note = { message: `the check ended at the ${MAX_ERRORS}th error` };
  return diagnostics.map((one, index) => (index === last ? { ...one, notes: [...one.notes, note] } : one));
}

/** Errors, and warnings that name a changed resource: not all warnings of every affected route. */
export function concerning(changes: readonly Change[], findings: readonly Diagnostic[]): Diagnostic[] {
  const written = changes.map((change) => {
    const { kind, id } = "put" in change ? change.put : change.remove;
    return ` /gw/admin/${adminPath(kind)}/${id}`;
  });
  const removes = changes.some((change) => "remove" in change);
  const isWritten = (file: string | undefined) => written.some((name) => file?.endsWith(name));
  return findings.filter(
    (finding) =>
      isError(finding) ||
      // Resources whose references a forced delete breaks.
      (removes && finding.code === "GW3014") ||
      isWritten(finding.span?.file) ||
      finding.notes.some((note) => isWritten(note.span?.file)),
  );
}
