import { MASKED_BODY } from "../../runtime/abi/log.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { parseJsonPath } from "../1-parse/json-path.js";
import { planCondition } from "../4-plan/condition.js";
import { planRegex } from "../4-plan/plan-regex.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Json, JsonObject, LoggerCall, LoggerPlan, RecordField, Regex, Text } from "../model/plan.js";
import type { PlanContext, PlannedStep, PluginSettings } from "../plugin/definition.js";
import { type Format, planExtra, planFormat } from "./format.js";
import type { LoggerSettings } from "./schema.gen.js";
import {
  batchSettings,
  commonIdle,
  deliverySettings,
  planSample,
  recordSettings,
  reportUnusedSettings,
  requireSettings,
  type UnusedSetting,
} from "./settings.js";

const WINDOW = MASKED_BODY.before + MASKED_BODY.slice + MASKED_BODY.behind;

/** Planned masks; `settings` are those of the runtime. */
interface PlannedBodyMasks {
  settings: JsonObject;
  patterns: Regex[];
}

/** @returns undefined if bodies are masked only for credentials */
function planBodyMasks(
  { value, spans }: PluginSettings<LoggerSettings>,
  context: PlanContext,
): PlannedBodyMasks | undefined {
  const { json_paths: paths = [], patterns = [] } = value.redact.body ?? {};
  if (paths.length + patterns.length === 0) return undefined;
  // The time of a pattern is bounded by the largest body in records.
  const longest = Math.max(
    value.include_req_body ? value.max_req_body_bytes : 0,
    value.include_resp_body ? value.max_resp_body_bytes : 0,
  );
  const bytes = Math.min(longest, MASKED_BODY.longest);
  const subject = { name: "a captured body", bytes, atOnce: Math.min(bytes, WINDOW) };
  const planned = patterns.flatMap((pattern, i) => {
    const span = spans.value(["redact", "body", "patterns", i]);
    const { budget } = context.patterns;
    const input = { pattern, options: "", scope: "global", captures: [], subject, budget, span } as const;
    return planRegex(input, context.report)?.regex ?? [];
  });
  const steps = paths.map((path): Json => {
    const parsed = parseJsonPath(path);
    // The schema has rejected invalid paths.
    return typeof parsed === "string"
      ? []
      : parsed.map((step) => (typeof step === "string" ? utf8(step) : step));
  });
  return { settings: { bodyMasks: { paths: steps } }, patterns: planned };
}

export interface LoggerParts {
  /** Sink settings, with references in place of secrets. */
  destination: JsonObject;
  /** Versions of credentials in the destination. Default: those of secrets whose reference differs from it. */
  versions?: readonly string[];
  /** Further settings of the factory, such as `metaFormat`. */
  more?: JsonObject;
  entryKey?: Text | undefined;
  entryFields?: RecordField[] | undefined;
  hostname?: Text | undefined;
  idle?: readonly UnusedSetting[];
}

/** Plans the shared resource and the steps of a logger. */
export function planLogger(
  settings: PluginSettings<LoggerSettings>,
  parts: LoggerParts,
  context: PlanContext,
): PlannedStep<LoggerCall>[] {
  const { value } = settings;
  requireSettings(value);
  reportUnusedSettings([...commonIdle(settings), ...(parts.idle ?? [])], settings, context);
  if (value.ack === "response" && value.delivery !== "durable")
    context.report(diagnostic("GW4407", settings.spans.value(["ack"])));
  context.resource(resourceOf(settings, parts, context));
  return steps(settings, context);
}

function resourceOf(
  settings: PluginSettings<LoggerSettings>,
  parts: LoggerParts,
  context: PlanContext,
): LoggerPlan {
  const { value } = settings;
  const { destination, versions = [] } = parts;
  const bodies = { request: value.include_req_body, response: value.include_resp_body };
  const at = (field: string, format: Format) => ({ value: format, spans: settings.spans.below([field]) });
  const formats = { report: context.report, bodies };
  const sample = planSample(settings, context);
  const masks = planBodyMasks(settings, context);
  return {
    settings: {
      destination,
      ...(versions.length > 0 && { versions }),
      batch: batchSettings(value),
      ...deliverySettings(value),
      ...parts.more,
      ...recordSettings(value),
      ...masks?.settings,
      ...sample?.settings,
    },
    record: value.log_format ? planFormat(at("log_format", value.log_format), formats) : null,
    extra:
      value.log_format_extra && !value.log_format
        ? planExtra(at("log_format_extra", value.log_format_extra), formats)
        : null,
    entryKey: parts.entryKey ?? null,
    ...(masks && masks.patterns.length > 0 && { bodyPatterns: masks.patterns }),
    ...(sample?.key && { sampleKey: sample.key }),
    ...(parts.hostname && { hostname: parts.hostname }),
    ...(parts.entryFields && { entryFields: parts.entryFields }),
  };
}

function steps(settings: PluginSettings<LoggerSettings>, context: PlanContext): PlannedStep<LoggerCall>[] {
  const { value } = settings;
  const origin = context.origin([]);
  const isHeld = value.delivery === "durable" && value.ack === "response";
  // A condition on a body that is not captured has no effect, but is checked.
  const ofRequest = planWhen("include_req_body_expr", settings, context);
  const ofResponse = planWhen("include_resp_body_expr", settings, context);
  const step = (
    phase: PlannedStep["phase"],
    call: LoggerCall["call"],
    when: LoggerCall["when"] = null,
  ): PlannedStep<LoggerCall> => ({ phase, origin, data: { call, when } });
  const early = { runUnfiltered: true } as const;
  return [
    ...(isHeld ? [{ ...step("access", "rejectIfFull"), ...early }] : []),
    ...(value.include_req_body
      ? [{ ...step("access", "access", ofRequest), ...early, capturesRequest: true as const }]
      : []),
    ...(value.include_resp_body ? [{ ...step("headerFilter", "headerFilter", ofResponse), ...early }] : []),
    ...(isHeld ? [step("acknowledge", "acknowledge")] : []),
    step("log", "log"),
  ];
}

/** Null if the condition on a body is always true. */
function planWhen(
  field: "include_req_body_expr" | "include_resp_body_expr",
  { value, spans }: PluginSettings<LoggerSettings>,
  context: PlanContext,
): LoggerCall["when"] {
  const rule = value[field];
  if (rule === undefined) return null;
  const condition = planCondition(
    { value: rule, spans: spans.below([field]) },
    {
      report: context.report,
      field,
      origin: (path) => context.origin([field, ...path]),
      now: field === "include_req_body_expr" ? "request" : "response",
      patterns: context.patterns,
      guarantees: context.guarantees,
      place: field === "include_req_body_expr" ? `${field}, which runs on the request` : field,
    },
  );
  return condition.kind === "always" ? null : { condition, field, origin: context.origin([field]) };
}
