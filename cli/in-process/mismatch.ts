import type { Path } from "../../compiler/parse/source.js";

/** One expectation that does not hold. */
export interface Mismatch {
  /** Where it stands below `expect`. */
  path: Path;
  /** "status of the response" */
  what: string;
  /** As written; texts are text, not byte strings. */
  expected: unknown;
  /** Undefined: there is none. */
  actual: unknown;
}
