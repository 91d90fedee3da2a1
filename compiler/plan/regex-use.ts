import type { RegexUse, ReplacementPart } from "../regex/regex.js";
import { translateReplacement } from "../regex/replacement.js";
import { translateRegex } from "../regex/translate.js";
import { byteString } from "./bytes.js";
import type { Regex } from "./plan.js";

/** Reports a finding about a pattern; the caller knows its span. */
export type RegexReport = (code: string, params: Record<string, string | number>, help?: string) => void;

/** What a match is replaced by; literals are byte strings. */
export type Replacement = ReplacementPart[];

/** A translated pattern and the number of its captures; undefined after a reported fault. */
export function planRegex(
  pattern: string,
  options: string,
  use: RegexUse & { allowSlow: boolean; report: RegexReport },
): { regex: Regex; groups: number } | undefined {
  const translation = translateRegex(pattern, options, use);
  if (!translation.ok) return undefined;
  const { source, flags, utf8, groups } = translation;
  return { regex: { pattern, options, source, flags, utf8 }, groups };
}

/** The parts of a replacement text (`$0 $1 ${1} $$`); undefined after a reported fault. */
export function planReplacement(text: string, groups: number, report: RegexReport): Replacement | undefined {
  const translation = translateReplacement(text, groups);
  if (!translation.ok) {
    const { capture, reason } = translation;
    if (capture === undefined) report("GW4038", { reason });
    else report("GW4037", { capture: `$${capture}`, groups });
    return undefined;
  }
  return translation.parts.map((part) => ("literal" in part ? { literal: byteString(part.literal) } : part));
}

/** Captures that a replacement text names, right or wrong: a pattern has to be exact for these only. */
export function namedCaptures(replacement: string): number[] {
  return Array.from(replacement.matchAll(/\$\$|\$(\d+)|\$\{(\d+)\}/g), (found) =>
    Number(found[1] ?? found[2]),
  ).filter((capture) => !Number.isNaN(capture));
}
