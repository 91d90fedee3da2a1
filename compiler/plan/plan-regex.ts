import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { checkRegex, checkReplacement, type RegexInput } from "../regex/diagnose.js";
import type { Bound } from "../regex/engine.js";
import type { ReplacementPart } from "../regex/regex.js";
import type { SearchCost } from "../regex/sync-limits.js";
import type { Regex } from "./plan.js";

type Report = (finding: Diagnostic) => void;

/** What a match is replaced by; literals are byte strings. */
export type Replacement = ReplacementPart[];

/** A translated pattern, the number of its captures and what it may cost. */
export interface PlannedRegex {
  regex: Regex;
  groups: number;
  pace: SearchCost;
  bound: Bound;
}

/** Undefined after a reported error. */
export function planRegex(input: RegexInput, report: Report): PlannedRegex | undefined {
  const { regex, groups, pace, bound, diagnostics } = checkRegex(input);
  for (const finding of diagnostics) report(finding);
  if (regex === undefined || pace === undefined || bound === undefined) return undefined;
  return { regex, groups, pace, bound };
}

/** The parts of a replacement text (`$0 $1 ${1} $$`); undefined after a reported error. */
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
