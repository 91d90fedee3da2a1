import { utf8 } from "../../runtime/abi/text/bytes.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { PatternBudget, Subject } from "../model/pattern-subject.js";
import type { ConfigPath, Regex } from "../model/plan.js";
import { findsOnlyAscii } from "../regex/ascii.js";
import { capturesIn } from "../regex/diagnose.js";
import { type Flow, flowOf, onLinearEngine } from "../regex/streaming.js";
import { maxSyncFilterBytes, type RuleCost, worksInPieces } from "../regex/sync-limits.js";
import { type PlannedRegex, planRegex, planReplacement, type Replacement } from "./plan-regex.js";

/** Body filter as configured, with defaults. */
export interface BodyFilterInput {
  regex: string;
  replace: string;
  scope: "once" | "global";
  options: string;
  allow_slow: boolean;
}

/** Planned filter, which replaces the first match ("once") or all matches ("global"). */
export interface FilterRule {
  regex: Regex;
  replacement: Replacement;
  scope: "once" | "global";
  /**
   * Overrides `regex.utf8` if matches are the same over bytes and characters, so that the body need not be
   * converted.
   */
  utf8?: boolean;
  /** If one filter buffers the whole body, all filters of the list do. */
  flow: Flow;
  origin: ConfigPath;
}

/** Planning context of a filter list. */
export interface FilterContext {
  subject: Subject;
  budget: PatternBudget;
  report(finding: Diagnostic): void;
  /** Returns the span of a field's value. */
  span(index: number, field: "regex" | "options" | "replace"): Span;
  /** Reports whether the configuration sets the options of this filter, instead of the schema's default. */
  writesOptions(index: number): boolean;
  origin(index: number): ConfigPath;
  /** Receives each accepted pattern. */
  took?(planned: PlannedRegex): void;
}

/** The notation `/secret/gi` of other languages. Without letters at the end the text may well be a path. */
const BETWEEN_SLASHES = /^\/([^/]+)\/([gimsux]{1,3})$/;

/**
 * Plans the filters of one body, and the number of bytes that all of them handle without blocking the event
 * loop.
 */
export function planBodyFilters(
  filters: readonly BodyFilterInput[],
  context: FilterContext,
): { rules: FilterRule[]; syncBytes: number } {
  const costs: RuleCost[] = [];
  const spans: Span[] = [];
  const { subject, budget, report } = context;
  const rules = filters.flatMap((filter, i) => {
    const at = (field: "regex" | "options" | "replace") => context.span(i, field);
    const { scope } = filter;
    const input = {
      pattern: filter.regex,
      options: filter.options,
      allowSlow: filter.allow_slow,
      captures: capturesIn(filter.replace),
      ...{ scope, subject, budget, span: at("regex") },
      ...(context.writesOptions(i) ? { optionsSpan: at("options") } : {}),
    };
    const planned = planRegex(input, report);
    if (planned === undefined) return [];
    context.took?.(planned);
    const [, , flags] = BETWEEN_SLASHES.exec(filter.regex) ?? [];
    if (flags !== undefined)
      report(diagnostic("GW4513", at("regex"), { pattern: filter.regex, flags: `/${flags}` }));
    const replacement = planReplacement(filter.replace, planned.groups, at("replace"), report);
    if (replacement === undefined) return [];
    const captures = replacement.flatMap((part) => ("capture" in part ? [part.capture] : []));
    const { pattern, options, utf8, linear } = planned.regex;
    if (isIdentityReplacement(pattern, options, replacement))
      report(diagnostic("GW4204", at("replace"), { pattern }));
    const whole = flowOf(pattern, options, { captures, scope, utf8 });
    const flow = linear === undefined ? whole : onLinearEngine(whole, linear.upTo);
    spans.push(at("regex"));
    costs.push({ ...planned.pace, scope, replacement });
    return [{ regex: planned.regex, replacement, scope, flow, origin: context.origin(i) }];
  });
  const syncBytes = maxSyncFilterBytes(costs);
  const settled = together(rules, syncBytes);
  for (const [i, finding] of delays(rules, settled).entries()) if (finding) report(finding(spans[i]));
  return { rules: unconverted(settled), syncBytes };
}

type DiagnosticAt = (span: Span | undefined) => Diagnostic;

/** Returns notes for filters that delay a live stream by more than the rest of a line. */
function delays(rules: readonly FilterRule[], settled: readonly FilterRule[]): (DiagnosticAt | undefined)[] {
  const streams = rules.every(({ flow }) => flow.mode === "stream");
  return settled.map(({ flow, regex: { pattern } }, i) => {
    if (flow.mode === "stream") {
      if (!flow.crossesLines) return undefined;
      return (span) => diagnostic("GW4206", span, { pattern, bytes: flow.window - 1 });
    }
    // The body is buffered for another filter, which has a note, or for the cost of all filters, which gets
    // one note.
    if (rules[i]?.flow.mode === "stream" && !(streams && i === 0)) return undefined;
    return (span) => diagnostic("GW4205", span, { pattern, reason: flow.reason });
  });
}

/**
 * Avoids conversions: a filter with equal matches over bytes and characters takes the body in the form of its
 * neighbours. The body arrives and leaves as bytes.
 */
function unconverted(rules: FilterRule[]): FilterRule[] {
  if (!rules.some(({ regex }) => regex.utf8)) return rules;
  const needs = rules.map(({ regex: { pattern, options, engine, utf8 }, replacement }) => {
    const isAscii = replacement.every((part) => !("literal" in part) || /^[\0-\x7f]*$/.test(part.literal));
    return isAscii && engine === "backtracking" && findsOnlyAscii(pattern, options) ? undefined : utf8;
  });
  const need = (left: (boolean | undefined)[]) => left.find((utf8) => utf8 !== undefined) ?? false;
  return rules.map((rule, i) => {
    const utf8 = needs[i] ?? (need(needs.slice(0, i).reverse()) && need(needs.slice(i)));
    return utf8 === rule.regex.utf8 ? rule : { ...rule, utf8 };
  });
}

/** Buffers the body for all filters of a list or for none. */
function together(rules: FilterRule[], syncBytes: number): FilterRule[] {
  const holding = rules.findIndex(({ flow }) => flow.mode === "hold");
  const pieces = rules.every(({ flow }) => flow.mode === "hold" || worksInPieces(syncBytes, flow));
  if (holding < 0 && pieces) return rules;
  const reason =
    holding < 0
      ? `in pieces it could take too long for the event loop, which has time for ${syncBytes} bytes`
      : `filters[${holding}] holds the body`;
  return rules.map((rule) =>
    rule.flow.mode === "hold" ? rule : { ...rule, flow: { mode: "hold", reason } },
  );
}

/**
 * Matches patterns that find exactly one text: punctuation behind a backslash is literal, letters there are
 * not.
 */
const FIXED = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])+$/s;
/** Options under which a pattern finds more than one text (`i`) or its spaces are not literal (`x`). */
const LOOSENING = /[ix]/;

/** Reports whether the replacement of every match equals the match. */
function isIdentityReplacement(pattern: string, options: string, replacement: Replacement): boolean {
  const [first, ...others] = replacement;
  if (first === undefined || others.length > 0) return false;
  if ("capture" in first) return first.capture === 0;
  if (LOOSENING.test(options) || !FIXED.test(pattern)) return false;
  return utf8(pattern.replace(/\\(.)/gs, "$1")) === first.literal;
}
