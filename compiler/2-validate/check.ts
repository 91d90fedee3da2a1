import { schemaFile } from "../../schema/schemas.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Path, Spanned } from "../model/source.js";
import { describe, type Subject } from "./describe.js";
import { collectFaults } from "./schema-faults.js";
import { validator } from "./validators.js";

/**
 * Checks against one file of schema/.
 * @param holds reports whether the value is valid, if that does not need the validator of the whole file
 * @throws Error if the validator rejects the value and `collectFaults` finds no fault, which is a fault of this program
 */
export function check(
  file: string,
  subject: Subject,
  holds: (value: unknown) => unknown = validator(file),
): Diagnostic[] {
  if (holds(subject.located.value)) return [];
  const findings = describe(collectFaults(schemaFile(file), subject.located.value), subject);
  if (findings.length === 0) throw new Error(`schema/${file} refuses a value for no known reason`);
  return findings;
}

/** Returns the part of a value at a path, with its spans. */
export function below(located: Spanned, path: Path): Spanned {
  let value: unknown = located.value;
  for (const step of path) value = (value as Record<string | number, unknown>)[step];
  return { value, spans: located.spans.below(path), at: [...(located.at ?? []), ...path] };
}
