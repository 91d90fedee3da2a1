import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import { findsOnlyAscii } from "../regex/ascii.js";
import { capturesIn } from "../regex/diagnose.js";
import { type Flow, flowOf, onLinearEngine } from "../regex/streaming.js";
import type { PatternBudget, Subject } from "../regex/subject.js";
import { maxSyncFilterBytes, type RuleCost, worksInPieces } from "../regex/sync-limits.js";
import type { ConfigPath, Regex } from "./plan.js";
import { type PlannedRegex, planRegex, planReplacement, type Replacement } from "./plan-regex.js";

/** A replacement in a body as an operator writes it, defaults filled. */
export interface BodyFilterInput {
  regex: string;
  replace: string;
  scope: "once" | "global";
  options: string;
  allow_slow: boolean;
}

/** One filter: the first match (once) or all matches (global) are replaced. */
export interface FilterRule {
  regex: Regex;
  replacement: Replacement;
  scope: "once" | "global";
  /** Over characters or over bytes where that is not what option `u` says: the same is found, and the body stays as it is. */
  utf8?: boolean;
  /** One that needs the whole body makes all filters of the list wait for it. */
  flow: Flow;
  origin: ConfigPath;
}

/** What a list of filters is planned with. */
export interface FilterContext {
  subject: Subject;
  budget: PatternBudget;
  report(finding: Diagnostic): void;
  /** Place of a field's value. */
  span(index: number, field: "regex" | "options" | "replace"): Span;
  /** Its options are not those of the schema. */
  writesOptions(index: number): boolean;
  origin(index: number): ConfigPath;
  /** Told of each pattern that is taken. */
  took?(planned: PlannedRegex): void;
}

/** `/secret/gi` of other languages; without letters at the end it may well be a path. */
const BETWEEN_SLASHES = /^\/([^/]+)\/([gimsux]{1,3})$/;

/** Filters of one body: how each runs, and how many bytes all of them get through without holding up an event loop. */
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

/** Notes for filters that keep a reader of a live stream waiting for more than the rest of a line. */
function delays(rules: readonly FilterRule[], settled: readonly FilterRule[]): (DiagnosticAt | undefined)[] {
  const streams = rules.every(({ flow }) => flow.mode === "stream");
  return settled.map(({ flow, regex: { pattern } }, i) => {
    if (flow.mode === "stream") {
      if (!flow.crossesLines) return undefined;
      return (span) => diagnostic("GW4206", span, { pattern, bytes: flow.window - 1 });
    }
    // Held for another filter, which is noted; or for their cost, which no single one has.
    if (rules[i]?.flow.mode === "stream" && !(streams && i === 0)) return undefined;
    return (span) => diagnostic("GW4205", span, { pattern, reason: flow.reason });
  });
}

/** Filters that find the same over bytes and characters take the body as it is between those that do not; it comes and goes as bytes. */
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

/** A body is held for all filters of a list or for none. */
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

/** A pattern that finds one text only: punctuation behind a backslash stands for itself, letters there do not. */
const FIXED = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])+$/s;
/** Options under which more than one text is found, or blanks of the pattern are none of it. */
const LOOSENING = /[ix]/;

/** Whether what a match is replaced by is the match itself. */
function isIdentityReplacement(pattern: string, options: string, replacement: Replacement): boolean {
  const [first, ...others] = replacement;
  if (first === undefined || others.length > 0) return false;
  if ("capture" in first) return first.capture === 0;
  if (LOOSENING.test(options) || !FIXED.test(pattern)) return false;
  return utf8(pattern.replace(/\\(.)/gs, "$1")) === first.literal;
}
