import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

/** A filter over a text, as a filter of response-rewrite says it. */
export interface RegexTestInput {
  pattern: string;
  options: string;
  replace: string;
  scope: "once" | "global";
  allow_slow: boolean;
  subject: string;
}

/** Compiled form of a filter, and its effect on the text. */
export type RegexTestResult = Answers["tryRegex"];
/** One match: UTF-16 code units of the subject. */
export type FoundMatch = NonNullable<RegexTestResult["result"]>["matches"][number];

/** Bytes of a text that is tried. */
export const MAX_SUBJECT = 65_536;

/** @throws AdminError for what is no question, or while too many ask */
export const testRegex = async (asked: RegexTestInput, signal: AbortSignal): Promise<RegexTestResult> =>
  (await callAdmin<RegexTestResult>("regex", { method: "POST", body: asked, signal })).body;
