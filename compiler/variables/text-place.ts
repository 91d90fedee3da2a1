import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import { offsetToSpan } from "../regex/offset-to-span.js";
import type { TextFault } from "./text.js";

/** Points at the wrong reference. @param scalar whole value; the text begins at `start` of it */
export function reportAtReference(
  scalar: string,
  start: number,
  span: Span,
  report: (diagnostic: Diagnostic) => void,
): (fault: TextFault) => void {
  return ({ code, params, help, offset, length, more }) => {
    const first = offsetToSpan(scalar, start + offset, span);
    const found =
      first === span ? span : { ...first, end: { ...first.start, column: first.start.column + length } };
    const notes = more === undefined ? [] : [{ message: `and ${more} more` }];
    report(diagnostic(code, found, params, { notes, ...(help !== undefined && { help }) }));
  };
}
