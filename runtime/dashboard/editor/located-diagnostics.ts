import type { Finding } from "../api/client";
import { type FieldSteps, nameOfField } from "../forms/unreadable-fields";
import type { Checked } from "./checked";
import { fieldAtPosition } from "./field-at-position";

/** Reports whether a diagnostic is about the checked text, not about another file. */
const isOurs = ({ span }: Pick<Finding, "span">): boolean => span?.file.includes("/gw/admin/") ?? false;

/** Field that a diagnostic, or a note of one, is about; undefined if it is outside of the text. */
export function fieldOf({ span }: Pick<Finding, "span">, text: string | undefined): FieldSteps | undefined {
  if (span === undefined || text === undefined || !isOurs({ span })) return undefined;
  return fieldAtPosition(text, span.start);
}

/** Messages of diagnostics by field; notes are omitted, because they are no fault of a field. */
export function messagesByField(
  { findings, text }: Checked,
  below: FieldSteps = [],
): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (const finding of findings) {
    const path = fieldOf(finding, text);
    if (finding.severity === "note" || !isBelow(path, below)) continue;
    const name = nameOfField(path.slice(below.length));
    if (name !== "" && !said.has(name)) said.set(name, finding.message);
  }
  return said;
}

export const isBelow = (path: FieldSteps | undefined, above: FieldSteps): path is FieldSteps =>
  path !== undefined && above.every((step, at) => String(step) === String(path[at]));
