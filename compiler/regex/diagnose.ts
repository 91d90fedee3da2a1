import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { PatternBudget, Subject } from "../model/pattern-subject.js";
import type { Regex, ReplacementPart } from "../model/plan.js";
import { offsetToSpan } from "../model/source.js";
import type { Bound } from "./engine.js";
import { type EngineSelection, selectEngine } from "./select-engine.js";
import type { SearchCost } from "./sync-limits.js";
import { type RegexTranslation, type TranslationOptions, translateRegex } from "./translate.js";

export interface RegexInput extends TranslationOptions {
  pattern: string;
  options: string;
  subject: Subject;
  /** `allow_slow: true` of the rule accepts a pattern that can take long. */
  allowSlow?: boolean;
  /** Shared by the patterns of one resource. Default: enough for this pattern. */
  budget?: PatternBudget;
  span: Span | undefined;
  optionsSpan?: Span;
}

export interface CheckedRegex {
  /** Absent if a diagnostic is an error. */
  regex?: Regex;
  /** 0 without a regex. */
  groups: number;
  /** Absent without a regex. */
  pace?: SearchCost;
  bound?: Bound;
  diagnostics: Diagnostic[];
}

/** V8 compiles longer patterns only while a request waits, or not at all. */
const LONGEST = 8_192;

/** Limits of one resource: up to about 10 s of work. */
const MAX_PATTERNS = 1_500;
const MAX_CHARACTERS = 131_072;

export function checkRegex(input: RegexInput): CheckedRegex {
  const { pattern, options, span } = input;
  if (pattern.length > LONGEST) {
    const params = { length: pattern.length, limit: LONGEST };
    return refused([diagnostic("GW4509", span, params)]);
  }
  const excess = count(input);
  if (excess !== undefined) return refused(excess);
  const translation = translateRegex(pattern, options, input);
  if (!translation.ok) return refused([refusal(input, translation)]);
  const { source, flags, utf8, groups } = translation;
  const answer = selectEngine(input, translation);
  if (!answer.ok) return { ...refused([slow(input, answer)]), groups };
  const { engine, bound, cost, linear } = answer.choice;
  const regex = { pattern, options, source, flags, utf8, engine, cost, ...(linear && { linear }) };
  return { regex, groups, pace: answer.pace, bound, diagnostics: [] };
}

const refused = (diagnostics: Diagnostic[]): CheckedRegex => ({ groups: 0, diagnostics });

/**
 * Only the first excess pattern of a resource has a diagnostic.
 * @returns undefined if they are not too many
 */
function count({ pattern, budget, span }: RegexInput): Diagnostic[] | undefined {
  const size = budget?.size;
  if (size === undefined) return undefined;
  const { patterns, characters } = size;
  const were = patterns > MAX_PATTERNS || characters > MAX_CHARACTERS;
  size.patterns += 1;
  size.characters += pattern.length;
  if (were) return [];
  if (size.patterns > MAX_PATTERNS)
    return [diagnostic("GW4510", span, { found: `this is pattern ${size.patterns}`, limit: MAX_PATTERNS })];
  if (size.characters <= MAX_CHARACTERS) return undefined;
  const found = `they have ${size.characters} characters up to here`;
  return [diagnostic("GW4510", span, { found, limit: MAX_CHARACTERS })];
}

function slow({ pattern, span, subject }: RegexInput, answer: EngineSelection & { ok: false }): Diagnostic {
  const { reason, attack } = answer;
  if (answer.unusable) return diagnostic("GW4508", span, { pattern: shown(pattern), reason });
  const example = attack === undefined ? "" : `, for example on ${attack}`;
  const params = { pattern: shown(pattern), reason: `${reason}${example}` };
  return diagnostic("GW4504", span, params, { help: `${FASTER}${smaller(subject, answer.fits)}` });
}

const FASTER =
  "remove the nested or overlapping repetition, make it possessive (a++), anchor it, or limit its repetitions";

function smaller({ name, allowSlow }: Subject, fits: number): string {
  const size = fits > 0 ? `${fits} bytes` : undefined;
  if (allowSlow !== true) return size === undefined ? "" : `; ${name} of at most ${size} is fine`;
  const limit = size === undefined ? "" : `; set max_resp_body_size to at most ${fits}`;
  return `${limit}; or set allow_slow: true if you trust the bodies`;
}

export function checkReplacement(
  text: string,
  groups: number,
  span: Span | undefined,
): { parts?: ReplacementPart[]; diagnostics: Diagnostic[] } {
  const read = translateReplacement(text, groups);
  if (read.ok) return { parts: read.parts, diagnostics: backslashed(text, groups, span) };
  const place = span === undefined ? undefined : offsetToSpan(text, read.offset, span);
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

/** `\\1` names a capture in sed and other tools: here it is a backslash and a digit. */
function backslashed(text: string, groups: number, span: Span | undefined): Diagnostic[] {
  const slip = /\\([1-9])/.exec(text);
  if (!slip || Number(slip[1]) > groups) return [];
  const place = span === undefined ? undefined : offsetToSpan(text, slip.index, span);
  return [diagnostic("GW4512", place, { capture: slip[1] ?? "" })];
}

/** `$10` is capture 10: names the notation of capture 1 and a zero. */
function digits(capture: number): { help?: string } {
  const [first, ...rest] = String(capture);
  return rest.length === 0
    ? {}
    : { help: `write \${${first}}${rest.join("")} for capture ${first} followed by ${rest.join("")}` };
}

/** Without `$0`, for `captures` of `checkRegex`. */
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
    const place = written === undefined ? span : offsetToSpan(input.options, offset, written);
    return diagnostic("GW4503", place, { pattern: shown(pattern), reason });
  }
  const place = span === undefined ? undefined : offsetToSpan(pattern, offset, span);
  const params = { pattern: shown(pattern), reason, position: offset + 1 };
  return diagnostic(refused.untranslatable ? "GW4502" : "GW4501", place, params);
}

/** On one line of at most 60 characters: a pattern can be long and hold any character. */
function shown(pattern: string): string {
  const line = JSON.stringify(pattern).slice(1, -1).replaceAll('\\"', '"').replaceAll("\\\\", "\\");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

export type ReplacementTranslation =
  | { ok: true; parts: ReplacementPart[] }
  /** `capture`: number of a missing capture. */
  | { ok: false; offset: number; reason: string; capture?: number };

/**
 * As lua-nginx-module does: `$0`, `$1`, `${1}`, `$$` for a dollar; named groups are unknown.
 * @param groups captures of the pattern; a higher number is a fault
 */
export function translateReplacement(text: string, groups: number): ReplacementTranslation {
  const parts: ReplacementPart[] = [];
  let literal = "";
  let index = 0;
  while (index < text.length) {
    if (text[index] !== "$") {
      literal += text[index++];
      continue;
    }
    if (text[index + 1] === "$") {
      literal += "$";
      index += 2;
      continue;
    }
    const [whole, plain, braced] = /^\$(?:(\d+)|\{(\d+)\})/.exec(text.slice(index)) ?? [];
    if (whole === undefined) return { ok: false, offset: index, reason: wrongDollar(text.slice(index)) };
    const capture = Number(plain ?? braced);
    if (capture > groups)
      return { ok: false, offset: index, reason: unknownCapture(capture, groups), capture };
    if (literal !== "") parts.push({ literal });
    literal = "";
    parts.push({ capture });
    index += whole.length;
  }
  if (literal !== "") parts.push({ literal });
  return { ok: true, parts };
}

function wrongDollar(rest: string): string {
  const shown = /^\$\{?[^}]{0,20}\}?/.exec(rest)?.[0] ?? "$";
  return `"${shown}" is not a capture; write $$ for a dollar sign`;
}

function unknownCapture(capture: number, groups: number): string {
  return `$${capture} does not exist: the pattern has ${groups === 0 ? "no captures" : `${groups} capture${groups === 1 ? "" : "s"}`}`;
}
