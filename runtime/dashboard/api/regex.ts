import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

/** A filter and a text, as in a filter of response-rewrite. */
export interface RegexTestInput {
  pattern: string;
  options: string;
  replace: string;
  scope: "once" | "global";
  allow_slow: boolean;
  subject: string;
}

export type RegexTestResult = Answers["tryRegex"];
/** One match, in UTF-16 code units of the subject. */
export type FoundMatch = NonNullable<RegexTestResult["result"]>["matches"][number];

/** Maximum size of the subject in bytes. */
export const MAX_SUBJECT = 65_536;

/** @throws AdminError for invalid input, or if too many tests run */
export const testRegex = async (asked: RegexTestInput, signal: AbortSignal): Promise<RegexTestResult> =>
  (await callAdmin<RegexTestResult>("regex", { method: "POST", body: asked, signal })).body;
