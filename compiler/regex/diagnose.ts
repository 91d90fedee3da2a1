import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Regex } from "../plan/plan.js";
import { analyseCost, COST_BUDGET } from "./cost.js";
import { placeInScalar } from "./place.js";
import type { RegexTranslation, RegexUse, ReplacementPart } from "./regex.js";
import { translateReplacement } from "./replacement.js";
import { translateRegex } from "./translate.js";

export interface RegexInput extends RegexUse {
  pattern: string;
  options: string;
  /** `allow_slow: true` of the rule: a pattern that can take exponential time is accepted. */
  allowSlow?: boolean;
  /** Longest time for judging the pattern's cost, in milliseconds; default 2,000. */
  budgetMs?: number;
  /** Place of the pattern's value. */
  span: Span | undefined;
  /** Place of the options' value, when they are written. */
  optionsSpan?: Span;
}

export interface CheckedRegex {
  /** Missing when a diagnostic is an error. */
  regex?: Regex;
  /** Number of captures; 0 without a regex. */
  groups: number;
  diagnostics: Diagnostic[];
}

/** Translates a pattern and judges its cost: what every place that takes a regular expression calls. */
export function checkRegex(input: RegexInput): CheckedRegex {
  const { pattern, options } = input;
  const translation = translateRegex(pattern, options, input);
  if (!translation.ok) return { groups: 0, diagnostics: [refusal(input, translation)] };
  const { source, flags, utf8, groups } = translation;
  const diagnostics = costFindings(input);
  const regex = { pattern, options, source, flags, utf8 };
  const failed = diagnostics.some(({ severity }) => severity === "error");
  return { ...(failed ? {} : { regex }), groups, diagnostics };
}

/** Reads a replacement text for a pattern with `groups` captures. */
export function checkReplacement(
  text: string,
  groups: number,
  span: Span | undefined,
): { parts?: ReplacementPart[]; diagnostics: Diagnostic[] } {
  const read = translateReplacement(text, groups);
  if (read.ok) return { parts: read.parts, diagnostics: [] };
  const place = span === undefined ? undefined : placeInScalar(text, read.offset, span);
  const { reason, capture } = read;
  const position = read.offset + 1;
  const finding =
    capture === undefined
      ? diagnostic("GW4506", place, { text: shown(text), reason, position })
      : diagnostic(
          "GW4507",
          place,
          { capture, groups: groups === 0 ? "no captures" : `only ${groups}` },
          digits(capture),
        );
  return { diagnostics: [finding] };
}

/** `$10` is capture 10; who meant capture 1 and a zero has to say so. */
function digits(capture: number): { help?: string } {
  const [first, ...rest] = String(capture);
  return rest.length === 0
    ? {}
    : { help: `write \${${first}}${rest.join("")} for capture ${first} followed by ${rest.join("")}` };
}

/** Captures that a replacement text reads, without `$0`: for `captures` of `checkRegex`. */
export function capturesIn(text: string): number[] {
  const read = translateReplacement(text, Number.POSITIVE_INFINITY);
  if (!read.ok) return [];
  return read.parts.flatMap((part) => ("capture" in part && part.capture > 0 ? [part.capture] : []));
}

function refusal(input: RegexInput, refused: RegexTranslation & { ok: false }): Diagnostic {
  const { pattern, span } = input;
  const { reason, offset } = refused;
  if (refused.in === "options") {
    const written = input.optionsSpan;
    const place = written === undefined ? span : placeInScalar(input.options, offset, written);
    return diagnostic("GW4503", place, { pattern: shown(pattern), reason });
  }
  const place = span === undefined ? undefined : placeInScalar(pattern, offset, span);
  const params = { pattern: shown(pattern), reason, position: offset + 1 };
  return diagnostic(refused.untranslatable ? "GW4502" : "GW4501", place, params);
}

function costFindings(input: RegexInput): Diagnostic[] {
  const { pattern, options, span, allowSlow } = input;
  const cost = analyseCost(pattern, options, input.budgetMs ?? COST_BUDGET);
  if (cost.kind === "linear") return [];
  if (cost.kind === "unknown")
    return [diagnostic("GW4508", span, { pattern: shown(pattern), reason: cost.reason })];
  if (cost.kind === "polynomial")
    return [
      diagnostic("GW4505", span, { pattern: shown(pattern), degree: cost.degree, attack: cost.attack }),
    ];
  if (cost.linearEngine || allowSlow === true) return [];
  return [diagnostic("GW4504", span, { pattern: shown(pattern), attack: cost.attack })];
}

/** Patterns can be long and hold any character: one line of at most 60. */
function shown(pattern: string): string {
  const line = JSON.stringify(pattern).slice(1, -1).replaceAll('\\"', '"').replaceAll("\\\\", "\\");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
