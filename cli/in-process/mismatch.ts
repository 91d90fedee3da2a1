import type { Path } from "../../compiler/model/source.js";

export interface Mismatch {
  /** Path below `expect`. */
  path: Path;
  /** "status of the response" */
  what: string;
  /** As written in the test: plain text, not byte strings. */
  expected: unknown;
  /** Undefined if there is none. */
  actual: unknown;
}
