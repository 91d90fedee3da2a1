import type { Replacement } from "../../compiler/plan/plan-regex.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";

/** A pattern that finds one text only: punctuation behind a backslash stands for itself, letters there do not. */
const FIXED = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])+$/s;
/** Options under which more than one text is found, or blanks of the pattern are none of it. */
const LOOSENING = /[ix]/;

/** Whether what a match is replaced by is the match itself. */
export function isSameText(pattern: string, options: string, replacement: Replacement): boolean {
  const [first, ...others] = replacement;
  if (first === undefined || others.length > 0) return false;
  if ("capture" in first) return first.capture === 0;
  if (LOOSENING.test(options) || !FIXED.test(pattern)) return false;
  return utf8(pattern.replace(/\\(.)/gs, "$1")) === first.literal;
}
