import { messageOf } from "../../runtime/abi/error-message.js";
import type { AskedRegex } from "./asked.js";
import { exactCaptures, type JudgedRegex, judgeFilter } from "./judged.js";
import { type MatchedRegex, matchFilter } from "./matched.js";

/** The answer of `POST /gw/admin/regex`. */
export interface TriedRegex extends JudgedRegex {
  /** Null: refused, no subject, or it did not end. */
  result: MatchedRegex | null;
  /** Why there is no result although the pattern was accepted and there is a subject. */
  unfinished: string | null;
}

/** Judges a filter, and then runs it. @param told what is known before it runs, which may take for ever */
export function tryRegex({ filter, subject }: AskedRegex, told?: (judged: JudgedRegex) => void): TriedRegex {
  const { judged, rule } = judgeFilter(filter);
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
