import { messageOf } from "../../runtime/abi/error-message.js";
import { type CompiledFilter, compileFilter, exactCaptures } from "./compiled-filter.js";
import { type MatchedRegex, matchFilter } from "./match-filter.js";
import type { RegexTestInput } from "./test-input.js";

/** The answer of `POST /gw/admin/regex`. */
export interface RegexTestResult extends CompiledFilter {
  /** Null: refused, no subject, or it did not end. */
  result: MatchedRegex | null;
  /** Why there is no result although the pattern was accepted and there is a subject. */
  unfinished: string | null;
}

/** Judges a filter, and then runs it. @param told what is known before it runs, which may take for ever */
export function testRegex(
  { filter, subject }: RegexTestInput,
  told?: (judged: CompiledFilter) => void,
): RegexTestResult {
  const { judged, rule } = compileFilter(filter);
  told?.(judged);
  if (rule === undefined || subject === undefined) return { ...judged, result: null, unfinished: null };
  try {
    const exact = exactCaptures(rule, judged.translation?.groups ?? 0);
    return { ...judged, result: matchFilter(rule, subject, exact), unfinished: null };
  } catch (error) {
    // V8 has no text of more than 512 MB, and little stack for a pattern.
    return { ...judged, result: null, unfinished: messageOf(error) };
  }
}
