import { messageOf } from "../../runtime/abi/error-message.js";
import { type CompiledFilter, compileFilter, exactCaptures } from "./compiled-filter.js";
import { type MatchedRegex, matchFilter } from "./match-filter.js";
import type { RegexTestInput } from "./test-input.js";

export interface RegexTestResult extends CompiledFilter {
  /** Null if the filter is rejected, there is no subject, or the search did not end. */
  result: MatchedRegex | null;
  /** Reason why an accepted pattern with a subject has no result. */
  unfinished: string | null;
}

/** @param told receives the compiled filter before the run, which may never end */
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
    // V8 has no string of more than 512 MB, and little stack for a pattern.
    return { ...judged, result: null, unfinished: messageOf(error) };
  }
}
