import { utf8 } from "../../runtime/abi/text/bytes.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { JsonObject, Text } from "../model/plan.js";
import type { PlanContext, PluginSettings } from "../plugin/definition.js";
import { parseText, reportAtReference } from "../variables/text.js";
import type { LoggerSettings, Sample } from "./schema.gen.js";

/** Settings that `planLogger` reads, with a value in the schema's defaults. */
const NEEDED = [
  "name",
  "include_req_body",
  "max_req_body_bytes",
  "include_resp_body",
  "max_resp_body_bytes",
  "batch_max_size",
  "inactive_timeout",
  "buffer_duration",
  "max_retry_count",
  "retry_delay",
  "max_pending_bytes",
  "delivery",
  "ack",
  "spool",
  "redact",
] as const satisfies readonly (keyof LoggerSettings)[];

/** @throws Error if the schema of a logger lacks a setting */
export function requireSettings(settings: LoggerSettings): void {
  const lacking = NEEDED.find((field) => settings[field] === undefined);
  if (lacking !== undefined) throw new Error(`schema.json lacks "${lacking}", which every logger needs`);
}

/** Maximum records in memory unless plugin_metadata sets it: the default of `schema/parts/batch.json`. */
const PENDING_ENTRIES = 8192;

/** `BatchSettings` of the runtime (reference section 7). */
export function batchSettings(settings: LoggerSettings): JsonObject {
  return {
    name: settings.name,
    batchMaxSize: settings.batch_max_size,
    inactiveTimeout: settings.inactive_timeout,
    bufferDuration: settings.buffer_duration,
    maxRetryCount: settings.max_retry_count,
    retryDelay: settings.retry_delay,
    maxPendingEntries: PENDING_ENTRIES,
    maxPendingBytes: settings.max_pending_bytes,
  };
}

/** Includes the bounds of the spool, if there is one. */
export function deliverySettings({ delivery, ack, spool }: LoggerSettings): JsonObject {
  if (delivery === "memory") return { delivery, ack: "log" };
  return { delivery, ack, spool: { maxBytes: spool.max_bytes, onFull: spool.on_full } };
}

/** Settings for bodies in records, and for masked headers and queries. */
export function recordSettings(settings: LoggerSettings): JsonObject {
  const { redact, delivery } = settings;
  return {
    ...(settings.include_req_body && { requestBody: { maxBytes: settings.max_req_body_bytes } }),
    ...(settings.include_resp_body && { responseBody: { maxBytes: settings.max_resp_body_bytes } }),
    redact: {
      ...(!redact.credentials && { credentials: false }),
      headers: redact.headers.map((name) => name.toLowerCase()),
      query: redact.query.map((name) => utf8(name).toLowerCase()),
    },
    recordId: settings.record_id ?? delivery === "durable",
  };
}

/**
 * Datagrams are never acknowledged: durable delivery is not confirmed, and no response can wait for it.
 * @param more notes and help of the plugin; `promised` with `ack: response`
 */
export function reportDatagramPromises(
  { value: { delivery, ack }, spans }: PluginSettings<Pick<LoggerSettings, "delivery" | "ack">>,
  context: Pick<PlanContext, "report">,
  more: (promised: boolean) => Partial<Pick<Diagnostic, "notes" | "help">>,
): void {
  if (delivery !== "durable") return;
  const promised = ack === "response";
  const at = spans.value([promised ? "ack" : "delivery"]);
  context.report(diagnostic(promised ? "GW4413" : "GW4412", at, {}, more(promised)));
}

/** Unused setting, with the reason in words for an operator. */
export interface UnusedSetting {
  field: string;
  because: string;
}

/** Reports settings that have no effect because of others. */
export function reportUnusedSettings(
  idle: readonly UnusedSetting[],
  { written, spans }: Pick<PluginSettings<object>, "written" | "spans">,
  context: PlanContext,
): void {
  for (const { field, because } of idle)
    if (Object.hasOwn(written, field))
      context.report(diagnostic("GW4405", spans.key([field]), { field, because }));
}

export function commonIdle({ value: settings }: PluginSettings<LoggerSettings>): UnusedSetting[] {
  const without = (field: string, needed: "include_req_body" | "include_resp_body") =>
    settings[needed] ? [] : [{ field, because: `${needed} is not true` }];
  return [
    ...without("include_req_body_expr", "include_req_body"),
    ...without("max_req_body_bytes", "include_req_body"),
    ...without("include_resp_body_expr", "include_resp_body"),
    ...without("max_resp_body_bytes", "include_resp_body"),
    ...(settings.log_format === undefined
      ? []
      : [{ field: "log_format_extra", because: "log_format replaces the default record" }]),
    ...(settings.delivery === "durable"
      ? [{ field: "max_retry_count", because: "with delivery: durable a record is retried until it arrives" }]
      : [{ field: "spool", because: "only delivery: durable has a spool" }]),
  ];
}

/**
 * Plans a text whose variables are read when the exchange is logged.
 * @param place name of the text in messages: "the key of a sample"
 */
export function planLogText(text: string, place: string, at: Span, { report }: PlanContext): Text {
  const rules = { now: "log", place, captures: undefined } as const;
  return parseText(text, rules, reportAtReference(text, 0, at, report));
}

/** Planned sample; `settings` are those of the runtime. */
export interface PlannedSample {
  settings: { sample: JsonObject };
  /** Null for a random choice. */
  key: Text | null;
}

/** @returns undefined if every request is logged, so that the module contains none of it */
export function planSample(
  { value, spans }: PluginSettings<LoggerSettings>,
  context: PlanContext,
): PlannedSample | undefined {
  if (value.sample === undefined || value.sample === 1) return undefined;
  const { rate, key, always_errors: errors = true, always_slower_than_ms: slower } = inFull(value.sample);
  return {
    settings: { sample: { rate, errors, ...(slower !== undefined && { slowerThanMs: slower }) } },
    key:
      key === undefined
        ? null
        : planLogText(key, "the key of a sample", spans.value(["sample", "key"]), context),
  };
}

/** A plain number is the rate. */
function inFull(sample: Sample): Partial<Exclude<Sample, number>> & { rate: number } {
  return typeof sample === "number" ? { rate: sample } : sample;
}

/** Returns "of 1 % of the requests, and of each error". */
export function sampleInWords({ rate, errors, slowerThanMs }: JsonObject): string {
  const always = [
    ...(errors === true ? ["each error"] : []),
    ...(slowerThanMs === undefined ? [] : [`each request above ${String(slowerThanMs)} ms`]),
  ];
  const share = `of ${Number((Number(rate) * 100).toPrecision(6))} % of the requests`;
  return [share, ...always].join(", and of ");
}
