import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { Report, Span } from "../model/diagnostic.js";
import type { Regex, ReplacementPart } from "../model/plan.js";
import { checkRegex, checkReplacement, type RegexInput } from "../regex/diagnose.js";
import type { Bound } from "../regex/engine.js";
import type { SearchCost } from "../regex/sync-limits.js";

/** Parts of a replacement for a match; literals are byte strings. */
export type Replacement = ReplacementPart[];

/** Translated pattern with its number of captures and its possible cost. */
export interface PlannedRegex {
  regex: Regex;
  groups: number;
  pace: SearchCost;
  bound: Bound;
}

/** @returns undefined after a reported error */
export function planRegex(input: RegexInput, report: Report): PlannedRegex | undefined {
  const { regex, groups, pace, bound, diagnostics } = checkRegex(input);
  for (const finding of diagnostics) report(finding);
  if (regex === undefined || pace === undefined || bound === undefined) return undefined;
  return { regex, groups, pace, bound };
}

/** Parses a replacement text (`$0 $1 ${1} $$`). @returns undefined after a reported error */
export function planReplacement(
  text: string,
  groups: number,
  span: Span,
  report: Report,
): Replacement | undefined {
  const { parts, diagnostics } = checkReplacement(text, groups, span);
  for (const finding of diagnostics) report(finding);
  return parts?.map((part) => ("literal" in part ? { literal: utf8(part.literal) } : part));
}
