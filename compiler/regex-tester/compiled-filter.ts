import { MAX_SYNC_BYTES } from "../../runtime/abi/text/filter.js";
import { type BodyFilterInput, type FilterRule, planBodyFilters } from "../4-plan/body-filters.js";
import type { PlannedRegex } from "../4-plan/plan-regex.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { Engine } from "../model/plan.js";
import { capturesIn } from "../regex/diagnose.js";
import type { Bound } from "../regex/engine.js";
import { translateRegex } from "../regex/translate.js";
import { bodySubject, patternScope } from "../variables/subject.js";

/** Compiled filter. Spans of diagnostics are columns of "pattern", "options" or "replace". */
export interface CompiledFilter {
  /** A write with this filter would succeed. */
  accepted: boolean;
  findings: Diagnostic[];
  /** Pattern in JavaScript, with the flag for the scope. */
  translation: { source: string; flags: string; groups: number } | null;
  engine: Engine | null;
  linear: { source: string; above_bytes: number } | null;
  cost: { class: Bound["class"] | "refused"; ms: number | null; text: string } | null;
  /** Path of a body, and its reason. `at_once`: bytes that are filtered without yielding to other requests. */
  body: { mode: "stream" | "hold"; reason: string; at_once: number } | null;
}

/** Default of `max_resp_body_size`. */
const LARGEST_BODY = 67_108_864;
const UNTRANSLATED: ReadonlySet<string> = new Set(["GW4501", "GW4502"]);
const TOO_SLOW: ReadonlySet<string> = new Set(["GW4504", "GW4508"]);

export function compileFilter(filter: BodyFilterInput): {
  judged: CompiledFilter;
  rule: FilterRule | undefined;
} {
  const findings: Diagnostic[] = [];
  const subject = bodySubject(LARGEST_BODY);
  let planned: PlannedRegex | undefined;
  const { rules, syncBytes } = planBodyFilters([filter], {
    subject,
    budget: patternScope().budget,
    // Notes would repeat what `body` says.
    report: (finding) => finding.severity !== "note" && findings.push(finding),
    span: (_, field) => spanOf(field, filter[field]),
    writesOptions: () => true,
    origin: () => "pattern",
    took: (taken) => {
      planned = taken;
    },
  });
  const [rule] = rules;
  for (const finding of findings) if (UNTRANSLATED.has(finding.code)) finding.span = placeOf(filter);
  const slow = findings.find(({ code }) => TOO_SLOW.has(code));
  const none = { translation: null, engine: null, linear: null, body: null };
  if (rule === undefined || planned === undefined) {
    const cost = slow === undefined ? null : { class: "refused" as const, ms: null, text: slow.message };
    return { judged: { accepted: false, findings, ...none, cost }, rule: undefined };
  }
  const { source, engine, cost, linear } = rule.regex;
  const { groups, bound } = planned;
  const { mode, reason } = rule.flow;
  const judged: CompiledFilter = {
    accepted: true,
    findings,
    translation: { source, flags: flagsOf(rule), groups },
    engine,
    linear: linear ? { source: linear.source, above_bytes: linear.upTo } : null,
    cost: { ...bound, text: cost },
    body: { mode, reason, at_once: Math.min(syncBytes, MAX_SYNC_BYTES) },
  };
  return { judged, rule };
}

/** Adds "g" for scope global, as `String.prototype.replace` needs it. */
export const flagsOf = ({ scope, regex: { flags } }: FilterRule): string =>
  scope === "global" ? `g${flags}` : flags;

/** Captures whose text equals that of PCRE. Unused ones may be inexact or missing, so they are not shown. */
export function exactCaptures(
  { regex, replacement, scope }: FilterRule,
  groups: number,
): ReadonlySet<number> {
  const { pattern, options, source, flags, engine } = regex;
  const all = translateRegex(pattern, options, { scope });
  if (engine === "backtracking" && all.ok && all.source === source && all.flags === flags)
    return new Set(Array.from({ length: groups }, (_, i) => i + 1));
  return new Set(replacement.flatMap((part) => ("capture" in part ? [part.capture] : [])));
}

/** Span where translation fails, which may be behind the end of the pattern or of a line of it. */
function placeOf({ regex, options, scope, replace }: BodyFilterInput): Span {
  const refused = translateRegex(regex, options, { scope, captures: capturesIn(replace) });
  const whole = spanOf("regex", regex);
  if (refused.ok) return whole;
  const column = refused.offset + 1;
  return { ...whole, start: { line: 1, column }, end: { line: 1, column: column + 1 } };
}

/** Span of a separate text: a diagnostic's column is its index in the text. */
function spanOf(field: "regex" | "options" | "replace", text: string): Span {
  const file = field === "regex" ? "pattern" : field;
  return { file, start: { line: 1, column: 1 }, end: { line: 1, column: text.length + 1 } };
}
