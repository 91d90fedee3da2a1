import { utf8 } from "../../runtime/abi/text/bytes.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { RecordField, RecordPart, Text } from "../model/plan.js";
import type { Path, Spanned } from "../model/source.js";
import { parseText, reportAtReference } from "../variables/text.js";
import { findVariable } from "../variables/variable.js";

export type Format = Record<string, unknown>;

export interface FormatContext {
  report(diagnostic: Diagnostic): void;
  /** Bodies that records may contain; variables of the others are always absent. Undefined if not known here. */
  bodies: { request: boolean; response: boolean } | undefined;
}

/** Maximum nesting, including the format itself (spec "up to 5 levels"). */
const LEVELS = 5;

/** Fields in every custom record (spec "emitted with the route_id field added"; reference 10.2). */
const OWN_FIELDS: readonly string[] = ["route_id", "service_id"];

/** Plans a `log_format` with the gateway's own fields. */
export function planFormat(format: Spanned<Format>, context: FormatContext): RecordField[] {
  const fields = planExtra(format, context);
  const missing = OWN_FIELDS.filter((name) => !fields.some((field) => field.name === name));
  return [...fields, ...missing.map((name) => ({ name, value: { variable: name } }))];
}

/** Plans a `log_format_extra`, which cannot hide the route of a record. */
export function planExtra(format: Spanned<Format>, context: FormatContext): RecordField[] {
  return planFields(format, [], context).map(({ name, value }) => {
    if (!OWN_FIELDS.includes(name) || isVariable(value, name)) return { name, value };
    context.report(diagnostic("GW4403", format.spans.key([name]), { field: name }));
    return { name, value: { variable: name, otherwise: value } };
  });
}

function isVariable(part: RecordPart, name: string): boolean {
  return "variable" in part && part.variable === name;
}

function planFields(format: Spanned<Format>, path: Path, context: FormatContext): RecordField[] {
  return Object.entries(format.value).map(([name, value]) => ({
    name: utf8(name),
    value: planValue(value, [...path, name], format, context),
  }));
}

function planValue(value: unknown, path: Path, format: Spanned<Format>, context: FormatContext): RecordPart {
  if (typeof value === "string") return planTextValue(value, path, format, context);
  if (typeof value === "number" || typeof value === "boolean") return { literal: value };
  if (path.length < LEVELS)
    return { fields: planFields({ ...format, value: value as Format }, path, context) };
  if (Object.keys(value as Format).length > 0)
    context.report(diagnostic("GW4404", format.spans.key(path), { levels: LEVELS }));
  return { fields: [] };
}

function planTextValue(
  text: string,
  path: Path,
  { spans }: Spanned<Format>,
  context: FormatContext,
): RecordPart {
  const rules = { now: "record", place: "a log format", captures: undefined } as const;
  const parts = parseText(text, rules, reportAtReference(text, 0, spans.value(path), context.report));
  reportAbsentBodies(parts, path, spans, context);
  const [only] = parts;
  if (only === undefined || parts.length > 1) return { text: parts };
  if ("variable" in only) return { ...only };
  return "literal" in only ? { literal: only.literal } : { text: parts };
}

function reportAbsentBodies(
  text: Text,
  path: Path,
  spans: Spanned["spans"],
  { bodies, report }: FormatContext,
): void {
  for (const part of text) {
    const body = "variable" in part ? findVariable(part.variable)?.variable.body : undefined;
    if (body === undefined || bodies === undefined || bodies[body]) continue;
    const field = body === "request" ? "include_req_body" : "include_resp_body";
    const name = "variable" in part ? part.variable : "";
    report(diagnostic("GW4406", spans.value(path), { name, field }));
  }
}
